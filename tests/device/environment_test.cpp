#include "common/device/environment.hpp"
#include "tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string>

using namespace common;

namespace {

std::set<std::string> keys(const nlohmann::json& object)
{
    std::set<std::string> names;
    for (const auto& [name, value] : object.items())
        names.insert(name);
    return names;
}

} // namespace

TEST_CASE("NVML tells the driver and the clocks of the GPU at an address")
{
    const NvmlReport report = ask_nvml("0000:19:00.0", FAKE_NVML);
    REQUIRE(report.driver);
    CHECK(*report.driver == "580.65.06");
    REQUIRE(report.clocks);
    CHECK(report.clocks->sm_mhz == 1980);
    CHECK(report.clocks->memory_mhz == 3201);
}

TEST_CASE("an address that NVML does not know has no clocks")
{
    const NvmlReport report = ask_nvml("0000:99:00.0", FAKE_NVML);
    CHECK(report.driver);
    CHECK_FALSE(report.clocks);
}

TEST_CASE("without NVML, or with something else in its place, nothing is known and nothing fails")
{
    for (const char* library : {"libnot-installed-anywhere.so.1", "libm.so.6"}) {
        const NvmlReport report = ask_nvml("0000:19:00.0", library);
        CHECK_FALSE(report.driver);
        CHECK_FALSE(report.clocks);
    }
}

TEST_CASE("a device has every field in a result file, null where it does not apply")
{
    DeviceDescription device;
    device.backend = "gpu";
    device.name = "NVIDIA H200";
    device.l2_bytes = std::uint64_t{60} << 20;
    const nlohmann::json json = device;
    CHECK(keys(json) == std::set<std::string>{"backend", "name", "compute_capability",
                                              "multiprocessors", "memory_bytes", "l2_bytes",
                                              "peak_gb_per_s", "host_cpu", "host_cores"});
    CHECK(json["name"] == "NVIDIA H200");
    CHECK(json["l2_bytes"] == 62914560);
    CHECK(json["host_cpu"].is_null());
}

TEST_CASE("an environment has every field in a result file, null where it is not known")
{
    Environment environment;
    environment.commit = "0123456789ab";
    environment.clocks_before = Clocks{1980, 3201};
    const nlohmann::json json = environment;
    CHECK(keys(json) == std::set<std::string>{"date", "commit", "kernel_compiler", "host_compiler",
                                              "driver", "cuda_driver", "cuda_runtime", "toolkit",
                                              "clocks"});
    CHECK(json["commit"] == "0123456789ab");
    CHECK(json["driver"].is_null());
    CHECK(json["clocks"]["before"] == nlohmann::json{{"sm_mhz", 1980}, {"memory_mhz", 3201}});
    CHECK(json["clocks"]["after"].is_null());
}
