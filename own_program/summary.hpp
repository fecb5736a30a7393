/// \file
/// What a program's kernels moved, in words and tables.
#pragma once

#include "common/model/time_model.hpp"

#include <cpu_device/launches.hpp>

#include <string>
#include <vector>

namespace own_program {

/// "scale: 130 of 4,096 blocks" of a launch of which a sample was counted.
[[nodiscard]] std::string sample_of(const common::LaunchRecord& launch);

/// The tables of counts and of modelled times, and the sentences around them, as wide as the
/// terminal. `done`: the program has come to its end, so that what it has not fetched it never
/// will.
[[nodiscard]] std::string summary(const std::vector<common::LaunchRecord>& launches,
                                  bool done = false);

/// Records what the program asks of the runtime from here on: its first calls, since what it does
/// again and again tells no more.
void watch_host();
/// What the host's calls cost next to the kernels: a paragraph for page faults, copies, streams
/// that wait for each other, and events that measure something else, with line, remedy and page; it
/// ends in '\n'. `kernels_ms` is the modelled time of all kernels, `last` the last of them. Times
/// are those of modelled_card(); empty without one.
[[nodiscard]] std::string host_part(double kernels_ms, const common::LaunchRecord* last = nullptr);

} // namespace own_program
