/// \file
/// Kernels whose memory transactions follow from a formula.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

/// Loads or stores of global memory.
struct Accesses
{
    std::size_t requests = 0;
    std::size_t sectors = 0;
    std::size_t bytes = 0;
};

/// Requests, and what they take: sectors, conflicts or wavefronts.
struct Others
{
    std::size_t requests = 0;
    std::size_t parts = 0;
};

/// What a kernel must move by its formula; cpu_device::Counts says what each is. Not that type
/// itself: a new counter need not compile the kernels again.
struct Moved
{
    Accesses load = {};
    Accesses store = {};
    Others atomic = {};       ///< sectors
    Others shared_load = {};  ///< conflicts
    Others shared_store = {}; ///< conflicts
    Others constant = {};     ///< wavefronts
    Others local_load = {};   ///< sectors
    Others local_store = {};  ///< sectors
    std::size_t distinct_sectors = 0;
    std::size_t divergent_warps = 0;
};

/// Called with a claim, a launch of one kernel, and what it must move.
using Expect = std::function<void(const std::string& claim, const std::function<void()>& launch,
                                  const Moved& moved)>;

/// Calls `expect` for every kernel.
void run_coalescing_cases(const Expect& expect);
