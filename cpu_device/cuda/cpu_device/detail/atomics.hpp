/// \file
/// Atomic functions: real atomics across the host's threads, counted as atomic requests.
///
/// They are atomic at every scope, so the `_block` and `_system` variants are the same functions.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/function.hpp"

namespace cpu_device {

/// Each returns the value before, and records the access at the line that called it. Defined for
/// the types that CUDA offers (runtime/atomics.cpp).
template<class T>
T atomic_add(T* address, T value);
template<class T>
T atomic_subtract(T* address, T value);
template<class T>
T atomic_exchange(T* address, T value);
template<class T>
T atomic_min(T* address, T value);
template<class T>
T atomic_max(T* address, T value);
template<class T>
T atomic_and(T* address, T value);
template<class T>
T atomic_or(T* address, T value);
template<class T>
T atomic_xor(T* address, T value);
template<class T>
T atomic_compare_exchange(T* address, T expected, T value);
unsigned atomic_increment(unsigned* address, unsigned limit);
unsigned atomic_decrement(unsigned* address, unsigned limit);

/// __threadfence() and its kind.
void memory_fence();

} // namespace cpu_device

// The empty statement keeps the call from becoming a jump: the return address is what tells the
// line that it came from.
#define CPU_DEVICE_ATOMIC_SCOPE(name, T, parameters, ...)                                          \
    [[gnu::always_inline]] inline T name parameters                                                \
    {                                                                                              \
        const T before = cpu_device::__VA_ARGS__;                                                  \
        __asm__ volatile("");                                                                      \
        return before;                                                                             \
    }
#define CPU_DEVICE_ATOMIC_SCOPES(name, T, parameters, ...)                                         \
    CPU_DEVICE_ATOMIC_SCOPE(name, T, parameters, __VA_ARGS__)                                      \
    CPU_DEVICE_ATOMIC_SCOPE(name##_block, T, parameters, __VA_ARGS__)                              \
    CPU_DEVICE_ATOMIC_SCOPE(name##_system, T, parameters, __VA_ARGS__)
#define CPU_DEVICE_ATOMIC(name, operation, T)                                                      \
    CPU_DEVICE_ATOMIC_SCOPES(name, T, (T * address, T value), operation(address, value))
#define CPU_DEVICE_ATOMIC_CAS(T)                                                                   \
    CPU_DEVICE_ATOMIC_SCOPES(atomicCAS, T, (T * address, T expected, T value),                     \
                             atomic_compare_exchange(address, expected, value))
#define CPU_DEVICE_ATOMIC_INTEGERS(name, operation)                                                \
    CPU_DEVICE_ATOMIC(name, operation, int)                                                        \
    CPU_DEVICE_ATOMIC(name, operation, unsigned)                                                   \
    CPU_DEVICE_ATOMIC(name, operation, unsigned long long)

CPU_DEVICE_ATOMIC_INTEGERS(atomicAdd, atomic_add)
CPU_DEVICE_ATOMIC(atomicAdd, atomic_add, float)
CPU_DEVICE_ATOMIC(atomicAdd, atomic_add, double)
CPU_DEVICE_ATOMIC(atomicSub, atomic_subtract, int)
CPU_DEVICE_ATOMIC(atomicSub, atomic_subtract, unsigned)
CPU_DEVICE_ATOMIC_INTEGERS(atomicExch, atomic_exchange)
CPU_DEVICE_ATOMIC(atomicExch, atomic_exchange, float)
CPU_DEVICE_ATOMIC_INTEGERS(atomicMin, atomic_min)
CPU_DEVICE_ATOMIC(atomicMin, atomic_min, long long)
CPU_DEVICE_ATOMIC_INTEGERS(atomicMax, atomic_max)
CPU_DEVICE_ATOMIC(atomicMax, atomic_max, long long)
CPU_DEVICE_ATOMIC_INTEGERS(atomicAnd, atomic_and)
CPU_DEVICE_ATOMIC_INTEGERS(atomicOr, atomic_or)
CPU_DEVICE_ATOMIC_INTEGERS(atomicXor, atomic_xor)
CPU_DEVICE_ATOMIC(atomicInc, atomic_increment, unsigned)
CPU_DEVICE_ATOMIC(atomicDec, atomic_decrement, unsigned)
CPU_DEVICE_ATOMIC_CAS(int)
CPU_DEVICE_ATOMIC_CAS(unsigned)
CPU_DEVICE_ATOMIC_CAS(unsigned long long)
CPU_DEVICE_ATOMIC_CAS(unsigned short)

CPU_DEVICE_FUNCTION(void, __threadfence, (), cpu_device::memory_fence())
CPU_DEVICE_FUNCTION(void, __threadfence_block, (), cpu_device::memory_fence())
CPU_DEVICE_FUNCTION(void, __threadfence_system, (), cpu_device::memory_fence())

// The functions of CUDA 12.8 with an order and a scope, for any type of 1 to 8 bytes: the order is
// never weaker than the one requested.

enum
{
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum
{
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

template<class T>
[[gnu::always_inline]] inline T __nv_atomic_load_n(T* address, int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    T value;
    __atomic_load(address, &value, __ATOMIC_SEQ_CST);
    return value;
}
template<class T, class Value>
[[gnu::always_inline]] inline void __nv_atomic_store_n(T* address, Value value, int,
                                                       int = __NV_THREAD_SCOPE_SYSTEM)
{
    T converted = static_cast<T>(value);
    __atomic_store(address, &converted, __ATOMIC_SEQ_CST);
}
template<class T, class Value>
[[gnu::always_inline]] inline T __nv_atomic_exchange_n(T* address, Value value, int,
                                                       int = __NV_THREAD_SCOPE_SYSTEM)
{
    T converted = static_cast<T>(value), before;
    __atomic_exchange(address, &converted, &before, __ATOMIC_SEQ_CST);
    return before;
}
template<class T, class Value>
[[gnu::always_inline]] inline bool __nv_atomic_compare_exchange_n(T* address, T* expected,
                                                                  Value value, bool, int, int,
                                                                  int = __NV_THREAD_SCOPE_SYSTEM)
{
    T converted = static_cast<T>(value);
    return __atomic_compare_exchange(address, expected, &converted, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

#define CPU_DEVICE_NV_ATOMIC(name, cuda)                                                           \
    template<class T, class Value>                                                                 \
    [[gnu::always_inline]] inline T __nv_atomic_fetch_##name(T* address, Value value, int,         \
                                                             int = __NV_THREAD_SCOPE_SYSTEM)       \
    {                                                                                              \
        return cuda(address, static_cast<T>(value));                                               \
    }                                                                                              \
    template<class T, class Value>                                                                 \
    [[gnu::always_inline]] inline void __nv_atomic_##name(T* address, Value value, int,            \
                                                          int = __NV_THREAD_SCOPE_SYSTEM)          \
    {                                                                                              \
        static_cast<void>(cuda(address, static_cast<T>(value)));                                   \
    }
CPU_DEVICE_NV_ATOMIC(add, atomicAdd)
#define CPU_DEVICE_NV_SUB(address, value) atomicAdd(address, T() - value)
CPU_DEVICE_NV_ATOMIC(sub, CPU_DEVICE_NV_SUB)
CPU_DEVICE_NV_ATOMIC(max, atomicMax)

[[gnu::always_inline]] inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    cpu_device::memory_fence();
}
