#include "common/device/environment.hpp"
#include "tests/catch.hpp"

using namespace common;

TEST_CASE("NVML tells the driver and the clocks of the GPU at an address")
{
    const NvmlReport report = ask_nvml("0000:19:00.0", FAKE_NVML);
    REQUIRE(report.driver);
    CHECK(*report.driver == "580.65.06");
    REQUIRE(report.clocks);
    CHECK(report.clocks->sm_mhz == 1980);
    CHECK(report.clocks->memory_mhz == 3201);
}

TEST_CASE("NVML tells the energy of the GPU at an address in joules, and of none elsewhere")
{
    CHECK(energy_of("0000:19:00.0", FAKE_NVML) == 12.5);
    CHECK_FALSE(energy_of("0000:99:00.0", FAKE_NVML));
    CHECK_FALSE(energy_of("0000:19:00.0", "libnot-installed-anywhere.so.1"));
}

TEST_CASE("NVML tells the state of the GPU at an address, as far as it knows it")
{
    const GpuState state = state_of("0000:19:00.0", FAKE_NVML);
    CHECK(state.sm_mhz == 1980u);
    CHECK(state.clock_reasons == 0x4u);
    CHECK(state.celsius == 51u);
    CHECK_FALSE(state.watts);
    CHECK_FALSE(state_of("0000:99:00.0", FAKE_NVML).sm_mhz);
    CHECK_FALSE(state_of("0000:19:00.0", "libnot-installed-anywhere.so.1").sm_mhz);
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
