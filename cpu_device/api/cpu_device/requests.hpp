/// \file
/// The requests of one warp, one by one, for whoever wants to draw or read them.
#pragma once

#include "cpu_device/counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cpu_device {

/// One request to global or shared memory, and what the memory pipeline makes of it.
struct WarpRequest
{
    template<class T>
    using ByLane = std::array<std::optional<T>, 32>; ///< nothing for a lane that takes no part

    std::size_t site = 0;          ///< numbers the instructions in the order of their first request
    std::uint32_t instruction = 0; ///< for line_of_site()
    Access access = Access::load;  ///< of all its lanes
    bool shared = false;           ///< else of global memory
    std::uint64_t allocation = 0;  ///< that its lowest address is in: 1 is the first; 0 if shared
    unsigned bytes = 0;            ///< that a lane moves
    /// Bytes from the start of the allocation, or, in shared memory, from the lowest of the
    /// request.
    ByLane<std::uint64_t> offsets;
    std::uintptr_t begin = 0; ///< the address of offset 0
    /// The sectors of global memory that it touches, in ascending order: the k-th has the bytes
    /// from 32 k on, counted as `offsets`.
    std::vector<std::uint64_t> sectors;
    /// The wavefronts over the 32 banks of shared memory that it needs, one after the other: by
    /// bank, counted as `offsets`, the first lane that gets its word from there; nothing from a
    /// bank that rests.
    std::vector<ByLane<unsigned>> wavefronts;
    unsigned conflicts = 0; ///< of the wavefronts, those beyond the fewest that it needs
};

/// The requests of the first warp of the first block of a launch, in order.
struct LaunchRequests
{
    std::string kernel;                     ///< as LaunchRecord::kernel
    std::array<unsigned, 3> grid{1, 1, 1};  ///< blocks in x, y, z
    std::array<unsigned, 3> block{1, 1, 1}; ///< threads in x, y, z
    std::vector<WarpRequest> requests;      ///< to global and to shared memory
};

/// Hands the requests of each launch from here on to `sink`, when it has run; an empty one ends
/// that. Returns the one before. All launches are counted meanwhile.
std::function<void(const LaunchRequests&)>
set_request_sink(std::function<void(const LaunchRequests&)> sink);

} // namespace cpu_device
