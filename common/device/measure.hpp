/// \file
/// How long a launch takes on a GPU, with the spread of the samples and the reason for stopping.
///
/// The CPU device counts and does not time: there every function of this page that would measure
/// throws std::logic_error, and the two that describe the hardware return 0.
#pragma once

#include "common/device/statistics.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>

namespace common {

/// What the L2 cache holds when a sample starts.
enum class Cache
{
    cold, ///< unrelated data: a scratch buffer of several times its size was read just before
    hot   ///< what the previous launch left there
};

/// Queues the work that is timed on the given stream.
using Launch = std::function<void(cudaStream_t)>;

/// Device time of one launch on `stream`, by CUDA events.
///
/// Cold: every sample is one launch after the L2 was flushed. Hot: every sample is the mean of a
/// batch of launches. Either way the work is queued behind a kernel that holds the stream, so the
/// host's launch latency is not part of the time. `launch` must therefore only queue work: one
/// that waits for the device (cudaMemcpy, cudaStreamSynchronize) belongs in measure_transfer().
///
/// Throws CudaError for any CUDA error, and std::runtime_error when `launch` turns out to wait.
/// Whatever is thrown, by `launch` too, the stream is free again afterwards.
[[nodiscard]] Timing measure_launch(const Launch& launch, cudaStream_t stream, Cache cache,
                                    const MeasureOptions& options);

/// Host time from the call of `work` until all work that it queued, on `stream` or any other, has
/// finished. `before`, if there is one, runs to its end before every sample and is not timed.
/// Throws CudaError.
[[nodiscard]] Timing measure_transfer(const Launch& work, cudaStream_t stream,
                                      const MeasureOptions& options, const Launch& before = {});

/// Energy of one launch on `stream`, from the GPU's own counter before and after launches back to
/// back for at least `seconds`; empty where there is no such counter. It is updated some ten times
/// per second, so half a second is too short. Throws CudaError.
[[nodiscard]] std::optional<Energy> measure_energy(const Launch& launch, cudaStream_t stream,
                                                   double seconds);

/// GB/s (10^9 bytes per second) of device-to-device `cudaMemcpyAsync`, cold, bytes read plus bytes
/// written: the copy bandwidth. Copies 1 GiB, or less where less is free. Measured on first use and
/// kept for the process. Throws CudaError.
[[nodiscard]] double copy_bandwidth(const MeasureOptions& options);

/// GB/s (10^9 bytes per second) of the device memory in theory: memory clock x bus width x 2 (two
/// transfers a clock), from the device's attributes. 0 if the driver does not report it.
[[nodiscard]] double theoretical_peak();

/// Bytes of the device's L2 cache; 0 if the driver does not report it.
[[nodiscard]] std::size_t l2_bytes();

} // namespace common
