#include "common/device/check.hpp"
#include "common/device/environment.hpp"
#include "common/device/measure.hpp"
#include "tests/catch.hpp"

#include <regex>
#include <stdexcept>
#include <string>

using namespace common;

TEST_CASE("the CPU device is described by the host it runs on, and by nothing of a GPU")
{
    const DeviceDescription device = describe_device();
    CHECK(device.backend == "cpu");
    CHECK(device.name == "CPU device");
    REQUIRE(device.host_cores);
    CHECK(*device.host_cores > 0);
    CHECK_FALSE(device.compute_capability);
    CHECK_FALSE(device.peak_gb_per_s);
}

TEST_CASE("the environment says when, from which commit and with which compilers")
{
    Environment environment = collect_environment();
    environment.record_clocks_after();
    CHECK(std::regex_match(environment.date,
                           std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)")));
    CHECK(std::regex_match(environment.commit, std::regex("unknown|[0-9a-f]{12,40}(-dirty)?")));
    CHECK_FALSE(environment.kernel_compiler.empty());
    CHECK(std::regex_search(environment.host_compiler, std::regex(R"(^(g|clang)\+\+ \d+\.)")));
    CHECK_FALSE(environment.driver);
    CHECK_FALSE(environment.clocks_before);
    CHECK_FALSE(environment.clocks_after);
}

TEST_CASE("host memory that runs out is not blamed on the device")
{
    void* address = nullptr;
    try {
        CHECK_CUDA(cudaMallocHost(&address, std::size_t{1} << 60));
        FAIL("there is no such host");
    } catch (const CudaError& error) {
        const std::string message = error.what();
        CHECK(message.find("The host does not have that much free memory") != std::string::npos);
        CHECK(message.find("the device's") == std::string::npos);
    }
}

TEST_CASE("the CPU device refuses to time")
{
    const Launch nothing = [](cudaStream_t) {};
    CHECK_THROWS_AS(measure_launch(nothing, nullptr, Cache::cold, {}), std::logic_error);
    CHECK_THROWS_AS(measure_launch(nothing, nullptr, Cache::hot, {}), std::logic_error);
    CHECK_THROWS_AS(measure_transfer(nothing, nullptr, {}), std::logic_error);
    CHECK_THROWS_AS(copy_bandwidth({}), std::logic_error);
    CHECK(theoretical_peak() == 0);
    CHECK(l2_bytes() == 0);
}
