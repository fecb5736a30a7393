/// \file
/// One job from the host to the device and back, so that each of its steps can be timed by itself.
#pragma once

#include "common/problem/arrays.hpp"
#include "common/run/launch.hpp"

#include <string>
#include <string_view>

namespace common {

/// What the host and the device do in turn. A part that is empty costs nothing; parts of the host
/// (`write`, `read`, `add_on_host`) run when the device is through with what came before.
struct Job
{
    HostVectorAdd& arrays; ///< cleared before each phase, so that a part left out shows
    Launch write;          ///< host: writes the inputs
    Launch to_device;   ///< queues copies of the inputs, or nothing where they move by themselves
    Launch kernel;      ///< queues the computation
    Launch to_host;     ///< queues a copy of the output, or nothing
    Launch read;        ///< host: reads the output
    Launch add_on_host; ///< host: computes the same itself
};

/// One phase of a job, as a row of a chapter. Everything is on the host at its start, but for:
///
/// | phase | what is timed |
/// | --- | --- |
/// | `initialise` | write; the device has used the arrays |
/// | `host_sum` | add_on_host; the device has used the arrays |
/// | `transfer` | to_device |
/// | `kernel` | kernel, after to_device |
/// | `kernel_again` | kernel, a second time |
/// | `host_read` | to_host and read, after the kernel |
/// | `total` | to_device, kernel, to_host, read |
/// | `total_of_16` | the same with 16 kernels |
///
/// Throws std::invalid_argument for another phase.
[[nodiscard]] Work phase_of(const Job& job, std::string_view phase);

} // namespace common
