/// \file
/// Loads and stores with a cache hint (`__ldg`, `__stcs`, ...): plain accesses of one instruction.
/// The hint says which cache keeps the line; requests and sectors are the same without it.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/vector_types.hpp"

#define CPU_DEVICE_LOAD(name)                                                                      \
    template<class T>                                                                              \
    [[gnu::always_inline]] inline T name(const T* address)                                         \
    {                                                                                              \
        return *address;                                                                           \
    }
CPU_DEVICE_LOAD(__ldg)
CPU_DEVICE_LOAD(__ldca)
CPU_DEVICE_LOAD(__ldcg)
CPU_DEVICE_LOAD(__ldcs)
CPU_DEVICE_LOAD(__ldlu)
#undef CPU_DEVICE_LOAD

/// A volatile load: two of them are two accesses.
template<class T>
[[gnu::always_inline]] inline T __ldcv(const T* address)
{
    __asm__ volatile("" : : : "memory");
    return *address;
}

#define CPU_DEVICE_STORE(name)                                                                     \
    template<class T>                                                                              \
    [[gnu::always_inline]] inline void name(T* address, std::common_type_t<T> value)               \
    {                                                                                              \
        *address = value;                                                                          \
    }
CPU_DEVICE_STORE(__stwb)
CPU_DEVICE_STORE(__stcg)
CPU_DEVICE_STORE(__stcs)
CPU_DEVICE_STORE(__stwt)
#undef CPU_DEVICE_STORE
