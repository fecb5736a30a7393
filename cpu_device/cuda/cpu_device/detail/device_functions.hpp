/// \file
/// Clocks, address spaces, hints and faults in kernels.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/engine.hpp"

#include <chrono>
#include <cstddef>
#include <ctime>

#include <assert.h>
#include <stdio.h>

namespace cpu_device {

/// True for an address of the calling block's shared memory.
[[nodiscard]] bool is_shared_address(const void* address);
/// True for an address of device, pinned or managed memory, or of a variable of the program.
[[nodiscard]] bool is_global_address(const void* address);
/// Ends the calling kernel as __trap() does.
[[noreturn]] void trap();
/// clock64(): ticks of the device. Threads that ask again and again let the others run.
[[nodiscard]] long long ticks();
/// clock() of whoever calls: the device's ticks in a kernel, the C library's on the host. Functions
/// for both are compiled once, so that it is decided when they run.
[[nodiscard]] clock_t clock_for_caller();
/// malloc() and free(): the device's heap in a kernel, the C library's on the host.
[[nodiscard]] void* allocate_for_caller(std::size_t bytes);
void free_for_caller(void* pointer);
/// The special register of that name in PTX: "laneid", "smid", "lanemask_lt", "clock64".
[[nodiscard]] unsigned long long special_register(const char* name);

} // namespace cpu_device

/// Ticks of the modelled GPU's clock, as the host's clock goes on.
inline long long clock64()
{
    return cpu_device::ticks();
}
/// Nanoseconds.
inline unsigned long long __globaltimer()
{
    return static_cast<unsigned long long>(
        std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Other lanes run when this one waits at a barrier or an exchange; sleeping would help nobody.
inline void __nanosleep(unsigned) {}

[[noreturn]] inline void __trap()
{
    cpu_device::trap();
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}

inline bool __isGlobal(const void* address)
{
    return cpu_device::is_global_address(address);
}
inline bool __isShared(const void* address)
{
    return cpu_device::is_shared_address(address);
}
inline bool __isConstant(const void* address)
{
    return !cpu_device::is_global_address(address) && !cpu_device::is_shared_address(address);
}
inline bool __isLocal(const void* address)
{
    return __isConstant(address);
}

// One address space: the address in a space is the address.
inline std::size_t __cvta_generic_to_shared(const void* address)
{
    return reinterpret_cast<std::size_t>(address);
}
inline std::size_t __cvta_generic_to_global(const void* address)
{
    return reinterpret_cast<std::size_t>(address);
}
inline void* __cvta_shared_to_generic(std::size_t address)
{
    return reinterpret_cast<void*>(address);
}
inline void* __cvta_global_to_generic(std::size_t address)
{
    return reinterpret_cast<void*>(address);
}

#if !defined(__clang__)
#define __builtin_assume(condition)                                                                \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_unreachable();                                                               \
    } while (false)
#endif
#define __assume(condition) __builtin_assume(condition)
