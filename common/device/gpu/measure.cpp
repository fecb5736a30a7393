#include "common/device/measure.hpp"

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/device/environment.hpp"
#include "common/device/gpu/isolation.hpp"
#include "common/device/memory.hpp"
#include "common/device/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace common {

namespace {

using Clock = std::chrono::steady_clock;

/// Far longer than the host takes to queue a batch, and short enough to wait for.
constexpr std::chrono::seconds blocker_timeout{1};
/// Attempts at one sample before `launch` is declared impossible to isolate.
constexpr int max_attempts = 3;
/// Launches of a hot batch. The stream takes about a thousand operations before the host must
/// wait, which it may not do behind a blocker; a launch may queue three, one that other devices
/// wait for thirty.
constexpr int max_batch = 256;
constexpr int max_batch_of_several = 32;
/// A hot batch lasts at least this long, unless max_batch launches do not.
constexpr double batch_milliseconds = 1.0;
/// Clocks that were idle need this long to rise.
constexpr double warm_up_seconds = 0.025;
/// Launches of a warm-up, fewer if these last longer than warm_up_limit: the first loads the code
/// and maps the memory.
constexpr int warm_up_launches = 3;
constexpr double warm_up_limit = 0.1;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The same for all ranks, which launch equally often what takes all of them: the longest.
double common_seconds_since(Clock::time_point begin)
{
    return ranks().largest(seconds_since(begin));
}

/// Queues `work` and waits, until code is loaded, memory is mapped and clocks have risen.
void warm_up(const Launch& work, cudaStream_t stream)
{
    const auto begin = Clock::now();
    double seconds = 0;
    for (int i = 0; seconds < (i < warm_up_launches ? warm_up_limit : warm_up_seconds); ++i) {
        work(stream);
        check_launch("The launch that is timed");
        CHECK_CUDA(cudaStreamSynchronize(stream));
        seconds = common_seconds_since(begin);
    }
}

/// Empties the L2 cache of a device that is not the one in use.
class OtherFlush
{
  public:
    explicit OtherFlush(int device, int in_use, bool reset_persisting)
        : device_(device), in_use_(in_use)
    {
        CHECK_CUDA(cudaSetDevice(device_));
        stream_.emplace();
        done_.emplace();
        flush_.emplace(reset_persisting);
        CHECK_CUDA(cudaSetDevice(in_use_));
    }

    /// Queues the reads there; `stream` of the device in use waits for them.
    void queue(cudaStream_t stream)
    {
        CHECK_CUDA(cudaSetDevice(device_));
        flush_->queue(*stream_);
        done_->record(*stream_);
        CHECK_CUDA(cudaSetDevice(in_use_));
        CHECK_CUDA(cudaStreamWaitEvent(stream, done_->get()));
    }

  private:
    int device_;
    int in_use_;
    std::optional<Stream> stream_;
    std::optional<Event> done_;
    std::optional<L2Flush> flush_;
};

/// Takes isolated samples of the device time of one launch.
class LaunchSampler
{
  public:
    LaunchSampler(const Launch& launch, cudaStream_t stream, Cache cache,
                  const MeasureOptions& options)
        : launch_(launch), stream_(stream)
    {
        if (cache != Cache::cold)
            return;
        flush_.emplace(options.reset_persisting_lines);
        int in_use = 0;
        CHECK_CUDA(cudaGetDevice(&in_use));
        for (const int device : options.other_devices)
            other_flushes_.push_back(
                std::make_unique<OtherFlush>(device, in_use, options.reset_persisting_lines));
    }

    /// Milliseconds of one launch, as the mean over `batch` of them. An attempt that the blocker
    /// did not survive is thrown away and repeated.
    double milliseconds(int batch)
    {
        for (int attempt = 0; attempt < max_attempts; ++attempt) {
            const double time = ranks().largest(attempt_milliseconds(batch));
            if (ranks().largest(blocker_.timed_out() ? 1 : 0) == 0)
                return time;
            ++retries_;
        }
        throw std::runtime_error(
            "A launch could not be timed: three times in a row the kernel that holds the stream "
            "gave up after 1 s. Either the launch waits for the device or queues more than about "
            "1000 operations: time it from the host (Chapter::run_transfer). Or every launch waits "
            "(CUDA_LAUNCH_BLOCKING, a profiler, a sanitizer): use --launch-once.");
    }

    [[nodiscard]] std::size_t retries() const { return retries_; }

  private:
    double attempt_milliseconds(int batch)
    {
        for (const auto& flush : other_flushes_)
            flush->queue(stream_);
        if (flush_)
            flush_->queue(stream_);
        blocker_.block(stream_);
        ranks().queue_barrier(stream_);
        start_.record(stream_);
        for (int i = 0; i < batch; ++i)
            launch_(stream_);
        check_launch("The launch that is timed");
        stop_.record(stream_);
        blocker_.release();
        CHECK_CUDA(cudaStreamSynchronize(stream_));
        return stop_.milliseconds_since(start_) / batch;
    }

    const Launch& launch_;
    cudaStream_t stream_;
    std::optional<L2Flush> flush_;
    std::vector<std::unique_ptr<OtherFlush>> other_flushes_;
    Event start_;
    Event stop_;
    // Last, so that it goes first: whatever is thrown above, its destructor frees the stream.
    Blocker blocker_{blocker_timeout};
    std::size_t retries_ = 0;
};

/// Launches of a hot batch, at most so many, given the time of one.
int batch_size(double milliseconds, int most)
{
    if (milliseconds * most <= batch_milliseconds)
        return most;
    return static_cast<int>(std::ceil(batch_milliseconds / milliseconds));
}

double measure_copy_bandwidth(const MeasureOptions& options)
{
    std::size_t free = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    // A quarter of what is free, so that both buffers and the flush buffer fit.
    const std::size_t bytes = std::min(std::size_t{1} << 30, free / 4);
    Buffer<std::byte> from(bytes);
    Buffer<std::byte> to(bytes);
    Stream stream;
    const Timing timing = measure_launch(
        [&](cudaStream_t on) {
            CHECK_CUDA(
                cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, on));
        },
        stream, Cache::cold, options);
    return 2.0 * static_cast<double>(bytes) / (timing.median * 1e6);
}

} // namespace

Timing measure_launch(const Launch& launch, cudaStream_t stream, Cache cache,
                      const MeasureOptions& options)
{
    warm_up(launch, stream);
    LaunchSampler sampler(launch, stream, cache, options);
    // One sample is thrown away: it loads the code of the flush and the blocker.
    const double first = sampler.milliseconds(1);
    const int batch = cache == Cache::cold
                          ? 1
                          : batch_size(first, options.other_devices.empty() && ranks().size() == 1
                                                  ? max_batch
                                                  : max_batch_of_several);

    StoppingRule rule(options);
    const auto begin = Clock::now();
    while (!rule.finished()) {
        const double sample = sampler.milliseconds(batch);
        rule.add(sample, common_seconds_since(begin));
    }
    Timing timing = rule.timing();
    timing.retries = sampler.retries();
    return timing;
}

Timing measure_transfer(const Launch& work, cudaStream_t stream, const MeasureOptions& options,
                        const Launch& before)
{
    const auto prepare = [&] {
        if (before)
            before(stream);
        CHECK_CUDA(cudaDeviceSynchronize());
    };
    warm_up(
        [&](cudaStream_t on) {
            prepare();
            work(on);
        },
        stream);
    StoppingRule rule(options);
    const auto begin = Clock::now();
    while (!rule.finished()) {
        prepare();
        ranks().barrier(); // all begin at once
        const auto start = Clock::now();
        work(stream);
        CHECK_CUDA(cudaDeviceSynchronize());
        const double sample = 1e3 * common_seconds_since(start);
        check_launch("The launch that is timed");
        rule.add(sample, common_seconds_since(begin));
    }
    return rule.timing();
}

std::optional<Energy> measure_energy(const Launch& launch, cudaStream_t stream, double seconds)
{
    // Between two waits as many launches as keep the GPU busy for far longer than a wait takes.
    constexpr double milliseconds_of_a_turn = 20;
    Event start;
    Event stop;
    const auto turn = [&](int launches) {
        start.record(stream);
        for (int i = 0; i < launches; ++i)
            launch(stream);
        stop.record(stream);
        check_launch("The launch whose energy is measured");
        CHECK_CUDA(cudaStreamSynchronize(stream));
        return stop.milliseconds_since(start);
    };
    turn(1);
    const int launches =
        std::clamp(static_cast<int>(milliseconds_of_a_turn / turn(1)), 1, max_batch);
    const auto busy_for = [&](double wanted) {
        const auto begin = Clock::now();
        int turns = 0;
        for (; turns == 0 || seconds_since(begin) < wanted; ++turns)
            turn(launches);
        return Energy{0, 1e3 * seconds_since(begin) / turns / launches};
    };
    busy_for(seconds / 4); // what the GPU takes at the end of that is what it takes
    const std::optional<double> before = energy_so_far();
    if (!before)
        return std::nullopt;
    const auto begin = Clock::now();
    Energy energy = busy_for(seconds);
    const double elapsed = 1e3 * seconds_since(begin);
    energy.joules = (energy_so_far().value_or(*before) - *before) * energy.milliseconds / elapsed;
    return energy;
}

double copy_bandwidth(const MeasureOptions& options)
{
    static const double bandwidth = measure_copy_bandwidth(options);
    return bandwidth;
}

double theoretical_peak()
{
    const double clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate); // the attribute is in kHz
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0;
    return 2 * clock_hz * bus_bytes / 1e9;
}

std::size_t l2_bytes()
{
    return static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
}

} // namespace common
