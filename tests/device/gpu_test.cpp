#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/environment.hpp"
#include "common/device/gpu/isolation.hpp"
#include "common/device/libraries.hpp"
#include "common/device/measure.hpp"
#include "common/device/memory.hpp"
#include "tests/catch.hpp"
#include "tests/device/kernels.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using namespace common;

/// ctest shows a case that printed this line as skipped.
#define REQUIRE_GPU()                                                                              \
    if (int count = 0; cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {                  \
        std::puts("skipped: no usable GPU");                                                       \
        return;                                                                                    \
    }

namespace {

constexpr std::size_t n = 1'000'003;

/// The rule's own bounds, small: nothing here asserts a time.
MeasureOptions quick()
{
    MeasureOptions options;
    options.max_seconds = 0.1;
    return options;
}

void check_structure(const Timing& timing)
{
    CHECK(timing.samples >= 10);
    CHECK((timing.stop == "interval" || timing.stop == "max-time"));
    CHECK(timing.min > 0);
    CHECK(timing.min <= timing.p25);
    CHECK(timing.p25 <= timing.median);
    CHECK(timing.median <= timing.p75);
    CHECK(timing.interval_low <= timing.median);
    CHECK(timing.median <= timing.interval_high);
}

/// True while work is queued on the stream.
bool busy(cudaStream_t stream)
{
    const bool not_ready = cudaStreamQuery(stream) == cudaErrorNotReady;
    static_cast<void>(cudaGetLastError()); // the runtime keeps even this answer as an error
    return not_ready;
}

/// 0, 1, 2, ... as far as T counts.
template<class T>
std::vector<T> counting()
{
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), T{});
    return values;
}

template<class T>
Buffer<T> on_device(const std::vector<T>& values)
{
    Buffer<T> buffer(values.size());
    CHECK_CUDA(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

template<class T>
std::vector<T> on_host(const Buffer<T>& buffer)
{
    std::vector<T> values(buffer.size());
    CHECK_CUDA(cudaMemcpy(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
    return values;
}

template<class T>
void check_copy_library()
{
    const std::vector<T> values = counting<T>();
    const Buffer<T> in = on_device(values);
    const Buffer<T> out = on_device(std::vector<T>(n));
    device_transform_copy<T>(in.data(), out.data(), n, nullptr);
    CHECK((on_host(out) == values));
}

} // namespace

TEST_CASE("a stream that nobody releases is free after the timeout")
{
    REQUIRE_GPU();
    const Stream stream;
    Blocker blocker(std::chrono::milliseconds(50));
    blocker.block(stream);
    stream.synchronize();
    CHECK(blocker.timed_out());

    blocker.block(stream);
    CHECK(busy(stream));
    blocker.release();
    stream.synchronize();
    CHECK_FALSE(blocker.timed_out());
}

TEST_CASE("a blocker that goes out of scope leaves the stream free")
{
    REQUIRE_GPU();
    const Stream stream;
    {
        Blocker blocker(std::chrono::seconds(5));
        blocker.block(stream);
    }
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE("a launch that throws while the stream is held leaves it free")
{
    REQUIRE_GPU();
    const Stream stream;
    const Launch throws_when_held = [](cudaStream_t on) {
        if (busy(on))
            throw std::domain_error("on purpose");
    };
    for (const Cache cache : {Cache::cold, Cache::hot}) {
        CHECK_THROWS_AS(measure_launch(throws_when_held, stream, cache, quick()),
                        std::domain_error);
        CHECK(cudaStreamQuery(stream) == cudaSuccess);
    }
}

TEST_CASE("a launch that waits for the device is refused, and the stream is free")
{
    REQUIRE_GPU();
    const Stream stream;
    const Launch waits = [](cudaStream_t on) { CHECK_CUDA(cudaStreamSynchronize(on)); };
    std::string refusal;
    try {
        static_cast<void>(measure_launch(waits, stream, Cache::hot, quick()));
    } catch (const std::runtime_error& error) {
        refusal = error.what();
    }
    CHECK(refusal.starts_with("A launch could not be timed"));
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE("a refused launch is a CUDA error, and the stream is free")
{
    REQUIRE_GPU();
    const Stream stream;
    const Launch empty_grid = [](cudaStream_t on) { launch_copy(nullptr, nullptr, 0, on); };
    CHECK_THROWS_AS(measure_launch(empty_grid, stream, Cache::cold, quick()), CudaError);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE(
    "cold and hot timings have samples, a reason and ordered statistics, and the work is done")
{
    REQUIRE_GPU();
    const Stream stream;
    const std::vector<float> values = counting<float>();
    const Buffer<float> in = on_device(values);
    for (const Cache cache : {Cache::cold, Cache::hot}) {
        const Buffer<float> out = on_device(std::vector<float>(n));
        const Launch copy = [&](cudaStream_t on) { launch_copy(in.data(), out.data(), n, on); };
        check_structure(measure_launch(copy, stream, cache, quick()));
        CHECK((on_host(out) == values));
    }
}

TEST_CASE("a transfer's time ends when all it queued has finished, on any stream")
{
    REQUIRE_GPU();
    const Stream stream;
    const Stream other;
    const Buffer<float> in = on_device(counting<float>());
    Buffer<float> out(n, MemoryKind::pinned);
    const Launch transfer = [&](cudaStream_t) {
        CHECK_CUDA(
            cudaMemcpyAsync(out.data(), in.data(), in.bytes(), cudaMemcpyDeviceToHost, other));
    };
    check_structure(measure_transfer(transfer, stream, quick()));
    CHECK(cudaStreamQuery(other) == cudaSuccess);
    CHECK(out.data()[n - 1] == static_cast<float>(n - 1));
}

TEST_CASE("the copy bandwidth lies below the theoretical peak, and is measured once")
{
    REQUIRE_GPU();
    const double copy = copy_bandwidth(quick());
    CHECK(copy > 0);
    if (theoretical_peak() > 0)
        CHECK(copy < theoretical_peak());
    CHECK(copy_bandwidth(quick()) == copy);
}

TEST_CASE("the GPU and its software are described")
{
    REQUIRE_GPU();
    const DeviceDescription device = describe_device();
    CHECK(device.backend == "gpu");
    CHECK_FALSE(device.name.empty());
    CHECK(device.card.size() == 8);
    CHECK(device.card.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(device.card != "00000000");
    CHECK(device.multiprocessors.value() > 0);
    CHECK(device.l2_bytes.value() > 0);

    const Environment environment = collect_environment();
    CHECK(environment.kernel_compiler.starts_with("nvcc "));
    CHECK(environment.toolkit.value().find('.') != std::string::npos);
    CHECK(environment.cuda_driver.value().find('.') != std::string::npos);
}

TEST_CASE("the libraries compute what the chapters compute")
{
    REQUIRE_GPU();
    const std::vector<float> values = counting<float>();
    std::vector<float> doubled(values);
    for (float& value : doubled)
        value += value;
    const Buffer<float> a = on_device(values);

    const Buffer<float> by_thrust = on_device(std::vector<float>(n));
    thrust_transform_add(a.data(), a.data(), by_thrust.data(), n, nullptr);
    CHECK((on_host(by_thrust) == doubled));

    if (!device_transform_available()) {
        CHECK_THROWS_AS(device_transform_add(a.data(), a.data(), by_thrust.data(), n, nullptr),
                        std::logic_error);
        return;
    }
    const Buffer<float> by_cub = on_device(std::vector<float>(n));
    device_transform_add(a.data(), a.data(), by_cub.data(), n, nullptr);
    CHECK((on_host(by_cub) == doubled));
    check_copy_library<std::uint8_t>();
    check_copy_library<std::uint16_t>();
    check_copy_library<std::uint32_t>();
    check_copy_library<std::uint64_t>();
}

TEST_CASE("one wrong byte of an array is seen on the device")
{
    REQUIRE_GPU();
    constexpr std::size_t bytes = (std::size_t{1} << 20) + 4;
    const Buffer<std::byte> one(bytes);
    const Buffer<std::byte> other(bytes);
    CHECK_CUDA(cudaMemset(one.data(), 0x5A, bytes));
    CHECK_CUDA(cudaMemset(other.data(), 0x5A, bytes));
    CHECK(same_bits(one.data(), other.data(), bytes));
    for (const std::size_t wrong : {std::size_t{0}, bytes / 2, bytes - 1}) {
        CHECK_CUDA(cudaMemset(other.data() + wrong, 0, 1));
        CHECK_FALSE(same_bits(one.data(), other.data(), bytes));
        CHECK(same_bits(one.data() + wrong + 1, other.data() + wrong + 1, bytes - wrong - 1));
        CHECK_CUDA(cudaMemset(other.data() + wrong, 0x5A, 1));
    }
}
