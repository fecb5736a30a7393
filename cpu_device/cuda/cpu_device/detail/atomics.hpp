/// \file
/// Atomic functions: real atomics across the host's threads, counted as atomic requests.
///
/// They are atomic at every scope, so the `_block` and `_system` variants are the same functions.
#pragma once
#pragma GCC system_header

namespace cpu_device {

/// Each returns the value before, and records the access at the line that called it. Defined for
/// the types that CUDA offers (runtime/atomics.cpp).
template<class T>
T atomic_add(T* address, T value);
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
#define CPU_DEVICE_ATOMIC_SCOPE(name, operation, T)                                                \
    [[gnu::always_inline]] inline T name(T* address, T value)                                      \
    {                                                                                              \
        const T before = cpu_device::operation(address, value);                                    \
        __asm__ volatile("");                                                                      \
        return before;                                                                             \
    }
#define CPU_DEVICE_ATOMIC(name, operation, T)                                                      \
    CPU_DEVICE_ATOMIC_SCOPE(name, operation, T)                                                    \
    CPU_DEVICE_ATOMIC_SCOPE(name##_block, operation, T)                                            \
    CPU_DEVICE_ATOMIC_SCOPE(name##_system, operation, T)
#define CPU_DEVICE_ATOMIC_INTEGERS(name, operation)                                                \
    CPU_DEVICE_ATOMIC(name, operation, int)                                                        \
    CPU_DEVICE_ATOMIC(name, operation, unsigned)                                                   \
    CPU_DEVICE_ATOMIC(name, operation, unsigned long long)

CPU_DEVICE_ATOMIC_INTEGERS(atomicAdd, atomic_add)
CPU_DEVICE_ATOMIC(atomicAdd, atomic_add, float)
CPU_DEVICE_ATOMIC(atomicAdd, atomic_add, double)
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

#undef CPU_DEVICE_ATOMIC_INTEGERS
#undef CPU_DEVICE_ATOMIC
#undef CPU_DEVICE_ATOMIC_SCOPE

#define CPU_DEVICE_ATOMIC_SCOPES(T, name, parameters, call)                                        \
    [[gnu::always_inline]] inline T name parameters                                                \
    {                                                                                              \
        return call;                                                                               \
    }                                                                                              \
    [[gnu::always_inline]] inline T name##_block parameters                                        \
    {                                                                                              \
        return call;                                                                               \
    }                                                                                              \
    [[gnu::always_inline]] inline T name##_system parameters                                       \
    {                                                                                              \
        return call;                                                                               \
    }

CPU_DEVICE_ATOMIC_SCOPES(int, atomicSub, (int* address, int value),
                         atomicAdd(address, static_cast<int>(0u - static_cast<unsigned>(value))))
CPU_DEVICE_ATOMIC_SCOPES(unsigned, atomicSub, (unsigned* address, unsigned value),
                         atomicAdd(address, 0u - value))
#undef CPU_DEVICE_ATOMIC_SCOPES

#define CPU_DEVICE_ATOMIC_CAS_SCOPE(name, T)                                                       \
    [[gnu::always_inline]] inline T name(T* address, T expected, T value)                          \
    {                                                                                              \
        const T before = cpu_device::atomic_compare_exchange(address, expected, value);            \
        __asm__ volatile("");                                                                      \
        return before;                                                                             \
    }
#define CPU_DEVICE_ATOMIC_CAS(T)                                                                   \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(atomicCAS, T)                                                      \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(atomicCAS_block, T)                                                \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(atomicCAS_system, T)
CPU_DEVICE_ATOMIC_CAS(int)
CPU_DEVICE_ATOMIC_CAS(unsigned)
CPU_DEVICE_ATOMIC_CAS(unsigned long long)
CPU_DEVICE_ATOMIC_CAS(unsigned short)
#undef CPU_DEVICE_ATOMIC_CAS
#undef CPU_DEVICE_ATOMIC_CAS_SCOPE

inline void __threadfence()
{
    cpu_device::memory_fence();
}
inline void __threadfence_block()
{
    cpu_device::memory_fence();
}
inline void __threadfence_system()
{
    cpu_device::memory_fence();
}
