/// \file
/// Clocks, address spaces, cache hints, hints and faults in kernels.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/detail/function.hpp"
#include "cpu_device/detail/vector_types.hpp"

#include <chrono>
#include <cstddef>
#include <ctime>
#include <type_traits>

#include <assert.h>
#include <stdio.h>

namespace cpu_device {

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
CPU_DEVICE_FUNCTION(long long, clock64, (), cpu_device::ticks())
/// Nanoseconds.
CPU_DEVICE_FUNCTION(
    unsigned long long, __globaltimer, (),
    static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count()))

/// Other lanes run when this one waits at a barrier or an exchange; sleeping would help nobody.
inline void __nanosleep(unsigned) {}

[[noreturn]] void __trap();

// One address space: the address in a space is the address.
CPU_DEVICE_FUNCTION(std::size_t, __cvta_generic_to_shared, (const void* address),
                    reinterpret_cast<std::size_t>(address))
CPU_DEVICE_FUNCTION(std::size_t, __cvta_generic_to_global, (const void* address),
                    reinterpret_cast<std::size_t>(address))

#if !defined(__clang__)
#define __builtin_assume(condition)                                                                \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_unreachable();                                                               \
    } while (false)
#endif
#define __assume(condition) __builtin_assume(condition)

// Loads and stores with a cache hint (`__ldg`, `__stcs`, ...): plain accesses of one instruction.
// The hint says which cache keeps the line; requests and sectors are the same without it.

#define CPU_DEVICE_LOAD(name)                                                                      \
    template<class T>                                                                              \
    [[gnu::always_inline]] inline T name(const T* address)                                         \
    {                                                                                              \
        return *address;                                                                           \
    }
CPU_DEVICE_LOAD(__ldg)
CPU_DEVICE_LOAD(__ldcg)
CPU_DEVICE_LOAD(__ldcs)

#define CPU_DEVICE_STORE(name)                                                                     \
    template<class T>                                                                              \
    [[gnu::always_inline]] inline void name(T* address, std::common_type_t<T> value)               \
    {                                                                                              \
        *address = value;                                                                          \
    }
CPU_DEVICE_STORE(__stcg)
CPU_DEVICE_STORE(__stcs)
