/// \file
/// What kernels ask of the runtime: assertions, traps, and the space of an address.
#include "cpu_device/detail/device_functions.hpp"
#include "cpu_device/detail/device_limits.hpp"
#include "cpu_device/detail/engine.hpp"
#include "engine/memory.hpp"
#include "engine/program_image.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace cpu_device {

bool is_shared_address(const void* pointer)
{
    const Untraced untraced;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto offset = address - reinterpret_cast<std::uintptr_t>(dynamic_shared());
    return offset < device_limits.shared_bytes_per_block_optin ||
           ProgramImage::thread_variables().contains(address);
}

bool is_global_address(const void* pointer)
{
    const Untraced untraced;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return find_global(address) != nullptr ||
           ProgramImage::instance().device_variables().contains(address);
}

void trap()
{
    fault("executed __trap().");
}

} // namespace cpu_device

/// Takes the place of the C library's: a failed assertion in a kernel is a fault of the kernel.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept
{
    const cpu_device::Untraced untraced;
    std::fflush(stdout);
    if (cpu_device::in_kernel())
        cpu_device::fault(std::string(file) + ":" + std::to_string(line) + ": assertion `" +
                          assertion + "` failed in " + function + ".");
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    std::abort();
}
