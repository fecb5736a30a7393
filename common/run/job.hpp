/// \file
/// One job from the host to the device and back, so that each of its steps can be timed by itself.
#pragma once

#include "common/problem/arrays.hpp"
#include "common/run/chapter.hpp"

#include <functional>
#include <string_view>

namespace common {

/// What the host and the device do in turn. A part that is empty costs nothing; parts of the host
/// run when the device is through with what came before.
struct Job
{
    /// Runs on the host, to its end.
    using OnHost = std::function<void(const HostVectorAdd&)>;
    /// Queues work on the stream, and may return before it is done.
    using Queued = std::function<void(const HostVectorAdd&, cudaStream_t)>;

    HostVectorAdd& arrays; ///< cleared before each phase, so that a part left out shows
    OnHost write;          ///< writes the inputs
    Queued to_device;      ///< copies the inputs; nothing where they move by themselves
    Queued kernel;         ///< the computation
    Queued to_host;        ///< copies the output, or nothing
    OnHost read;           ///< reads the output
    OnHost add_on_host;    ///< computes the same itself
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
/// `row` says the name, the threads and what else a row of the chapter has; the phase is its
/// column, and its task but for the total: a part is no match for the whole. Throws
/// std::invalid_argument for another phase.
void run_phase(Chapter& chapter, Variant row, const Job& job, std::string_view phase);

} // namespace common
