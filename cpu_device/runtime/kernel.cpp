/// \file
/// What kernels ask of the runtime: assertions, traps, and the space of an address.
#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/device_functions.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/settings.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

namespace cpu_device {

long long ticks()
{
    const Untraced untraced;
    if (in_kernel())
        note_clock_read();
    const auto nanoseconds = std::chrono::steady_clock::now().time_since_epoch().count();
    constexpr long long million = 1'000'000;
    return nanoseconds / million * device_limits.clock_khz +
           nanoseconds % million * device_limits.clock_khz / million;
}

clock_t clock_for_caller()
{
    return in_kernel() ? static_cast<clock_t>(ticks()) : std::clock();
}

unsigned long long special_register(const char* name)
{
    const Untraced untraced;
    const std::string_view wanted = name;
    // Not with the others below: who reads the clock is taken note of.
    if (wanted == "clock")
        return static_cast<unsigned>(ticks());
    if (wanted == "clock64")
        return static_cast<unsigned long long>(ticks());
    const unsigned own = lane();
    const unsigned below = (1u << own) - 1;
    const std::uint64_t block =
        (std::uint64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const std::pair<std::string_view, unsigned long long> registers[] = {
        {"laneid", own},
        {"warpid", thread / warp_lanes},
        {"smid", block % static_cast<unsigned>(device_limits.multiprocessors)},
        {"lanemask_eq", 1u << own},
        {"lanemask_lt", below},
        {"lanemask_le", below | 1u << own},
        {"lanemask_gt", ~(below | 1u << own)},
        {"lanemask_ge", ~below},
        {"globaltimer", __globaltimer()}};
    for (const auto& [known, value] : registers)
        if (known == wanted)
            return value;
    fault("reads the special register %" + std::string(name) +
          ", which the CPU device does not have.");
}

} // namespace cpu_device

void __trap()
{
    cpu_device::fault("executed __trap().");
}

/// Takes the place of the C library's: a failed assertion in a kernel is a fault of the kernel.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept
{
    const cpu_device::Untraced untraced;
    std::fflush(stdout);
    if (cpu_device::in_kernel() && cpu_device::settings().assertion_returns) {
        std::fprintf(stderr,
                     "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
                     threadIdx.y, threadIdx.z, assertion);
        cpu_device::abandon_kernel();
    }
    if (cpu_device::in_kernel())
        cpu_device::fault(std::string(file) + ":" + std::to_string(line) + ": assertion `" +
                          assertion + "` failed in " + function + ".");
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    std::abort();
}
