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

} // namespace cpu_device

/// Nanoseconds of the host's clock: there is no SM clock here.
inline long long clock64()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
inline unsigned long long __globaltimer()
{
    return static_cast<unsigned long long>(clock64());
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
