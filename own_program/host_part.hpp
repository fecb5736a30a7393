/// \file
/// What the host's calls cost next to the kernels: copies, page faults, streams that wait for each
/// other, and events that measure something else.
#pragma once

#include <string>

namespace own_program {

/// Records what the program asks of the runtime from here on: its first calls, since what it does
/// again and again tells no more.
void watch_host();
/// A paragraph for each of these that the program has done since, with its line, remedy and page; a
/// paragraph ends in '\n'. `kernels_ms` is the modelled time of all its kernels. Times are those of
/// modelled_card(); empty without one.
[[nodiscard]] std::string host_part(double kernels_ms);

} // namespace own_program
