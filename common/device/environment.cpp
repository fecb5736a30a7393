#include "common/device/environment.hpp"

#include "common/commit.hpp"
#include "common/device/device.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <ctime>

namespace common {

namespace {

std::string now_in_utc()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, sizeof "2026-11-20T10:30:00Z"> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &utc)};
}

std::string host_compiler()
{
#ifdef __clang__
    return "clang++ " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

template<class T>
nlohmann::json or_null(const std::optional<T>& value)
{
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

} // namespace

void Environment::record_clocks_after()
{
    clocks_after = current_clocks();
}

Environment collect_environment()
{
    Environment environment;
    environment.date = now_in_utc();
    environment.commit = commit;
    environment.kernel_compiler = kernel_compiler();
    environment.host_compiler = host_compiler();
    describe_driver(environment);
    return environment;
}

void to_json(nlohmann::json& json, const Clocks& clocks)
{
    json = {{"sm_mhz", clocks.sm_mhz}, {"memory_mhz", clocks.memory_mhz}};
}

void to_json(nlohmann::json& json, const DeviceDescription& device)
{
    json = {{"backend", device.backend},
            {"name", device.name},
            {"compute_capability", or_null(device.compute_capability)},
            {"multiprocessors", or_null(device.multiprocessors)},
            {"memory_bytes", or_null(device.memory_bytes)},
            {"l2_bytes", or_null(device.l2_bytes)},
            {"peak_gb_per_s", or_null(device.peak_gb_per_s)},
            {"host_cpu", or_null(device.host_cpu)},
            {"host_cores", or_null(device.host_cores)}};
}

void to_json(nlohmann::json& json, const Environment& environment)
{
    json = {{"date", environment.date},
            {"commit", environment.commit},
            {"kernel_compiler", environment.kernel_compiler},
            {"host_compiler", environment.host_compiler},
            {"driver", or_null(environment.driver)},
            {"cuda_driver", or_null(environment.cuda_driver)},
            {"cuda_runtime", or_null(environment.cuda_runtime)},
            {"toolkit", or_null(environment.toolkit)},
            {"clocks",
             {{"before", or_null(environment.clocks_before)},
              {"after", or_null(environment.clocks_after)}}}};
}

} // namespace common
