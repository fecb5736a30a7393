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
/// terminal.
[[nodiscard]] std::string summary(const std::vector<common::LaunchRecord>& launches);

} // namespace own_program
