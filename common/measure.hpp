/// \file
/// How long a launch takes, with the spread of the samples and the reason for stopping.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <string>

namespace common {

/// What the L2 cache holds when a sample starts.
enum class Cache
{
    cold, ///< data of nobody: a scratch buffer of several times the L2 was read just before
    hot   ///< whatever the launch before left there
};

/// When to stop sampling.
struct MeasureOptions
{
    int min_samples = 10;           ///< never fewer
    double relative_interval = 0.005; ///< stop once the median's interval is within this
    double max_seconds = 2.0;       ///< or once this much time is spent
};

/// Order statistics of the time of one launch, in milliseconds.
struct Timing
{
    double median = 0;
    double p25 = 0;           ///< lower quartile
    double p75 = 0;           ///< upper quartile
    double min = 0;
    double interval_low = 0;  ///< 95 % confidence interval of the median
    double interval_high = 0;
    std::size_t samples = 0;
    std::string stop; ///< why sampling ended: "interval" or "max-time"
};

/// What is timed: work queued on the given stream.
using Launch = std::function<void(cudaStream_t)>;

/// Device time of one launch on `stream` by CUDA events (GPU). Throws CudaError.
[[nodiscard]] Timing measure_launch(const Launch& launch, cudaStream_t stream, Cache cache,
                                    const MeasureOptions& options);

/// Host time from the call of `work` until everything it queued on `stream` has finished.
[[nodiscard]] Timing measure_transfer(const Launch& work, cudaStream_t stream,
                                      const MeasureOptions& options);

/// GB/s (10^9 bytes a second) of device-to-device `cudaMemcpyAsync`, cold, bytes read plus bytes
/// written: the copy ceiling. Measured on first use and kept for the process.
[[nodiscard]] double copy_ceiling(const MeasureOptions& options);

/// GB/s (10^9 bytes a second) of the device memory in theory: memory clock x bus width x 2 (two
/// transfers a clock), from the device's attributes. 0 when the driver does not tell.
[[nodiscard]] double theoretical_peak();

} // namespace common
