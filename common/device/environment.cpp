#include "common/device/environment.hpp"

#include "common/device/commit.hpp"
#include "common/device/device.hpp"

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

} // namespace common
