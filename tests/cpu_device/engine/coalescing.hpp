/// \file
/// Kernels whose memory transactions follow from a formula.
#pragma once

#include "cpu_device/counts.hpp"

#include <string>
#include <vector>

/// One kernel, run once: what the CPU device counted and what the formula says.
struct CoalescingCase
{
    std::string claim;
    cpu_device::Counts counted;
    cpu_device::Counts expected;
};

/// Runs all kernels, ascending (0) or in the lane order of `seed`.
[[nodiscard]] std::vector<CoalescingCase> run_coalescing_cases(std::uint64_t seed);
