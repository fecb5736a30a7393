// measure_selftest: one page that shows whether the timing of this machine can be believed.
#include "common/device/libraries.hpp"
#include "common/device/measure.hpp"
#include "common/device/memory.hpp"
#include "common/report/json.hpp"
#include "tests/device/kernels.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>

using namespace common;

namespace {

void show(const char* name, std::size_t n, std::size_t bytes, Cache cache, const Timing& timing)
{
    const auto rate = [bytes](double milliseconds) {
        return static_cast<double>(bytes) / (milliseconds * 1e6);
    };
    fmt::print("{:<22} {:>10} {:<4} {:>9.4f} ms [{:.4f}, {:.4f}] p25 {:.4f} p75 {:.4f} min {:.4f}"
               " {:>5} samples {:<8} {} retries {:>7.1f} GB/s [{:.1f}, {:.1f}]{}\n",
               name, n, cache == Cache::cold ? "cold" : "hot", timing.median, timing.interval_low,
               timing.interval_high, timing.p25, timing.p75, timing.min, timing.samples,
               timing.stop, timing.retries, rate(timing.median), rate(timing.interval_high),
               rate(timing.interval_low),
               in_l2(rate(timing.median), theoretical_peak()) ? " in L2" : "");
}

void measure_all(std::size_t n)
{
    const Buffer<float> a(n);
    const Buffer<float> b(n);
    const Buffer<float> c(n);
    const Stream stream;
    const MeasureOptions options;

    const auto measure = [&](const char* name, std::size_t arrays, const Launch& launch) {
        for (const Cache cache : {Cache::cold, Cache::hot})
            show(name, n, arrays * n * sizeof(float), cache,
                 measure_launch(launch, stream, cache, options));
    };
    measure("copy", 2, [&](cudaStream_t on) { launch_copy(a.data(), c.data(), n, on); });
    measure("add", 3, [&](cudaStream_t on) { launch_add(a.data(), b.data(), c.data(), n, on); });
    measure("thrust::transform", 3,
            [&](cudaStream_t on) { thrust_transform_add(a.data(), b.data(), c.data(), n, on); });
    if (device_transform_available())
        measure("cub::DeviceTransform", 3, [&](cudaStream_t on) {
            device_transform_add(a.data(), b.data(), c.data(), n, on);
        });
}

} // namespace

int main()
{
    try {
        Results results;
        results.chapter = "selftest";
        results.device = describe_device();
        results.environment = collect_environment();
        fmt::print("theoretical peak {:.1f} GB/s\n", theoretical_peak());
        fmt::print("copy bandwidth   {:.1f} GB/s\n", copy_bandwidth({}));
        for (const std::size_t n :
             {std::size_t{1} << 20, std::size_t{1} << 24, std::size_t{1} << 28})
            measure_all(n);
        results.environment.record_clocks_after();
        fmt::print("{}", results_to_json(results));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
