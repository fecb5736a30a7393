/// \file
/// Atomic functions. Blocks run on several threads of the host, so these are the host's atomics.
#include "cpu_device/detail/atomics.hpp"

#include "core/kernels.hpp"
#include "cpu_device/detail/half.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <type_traits>

namespace cpu_device {
namespace {

/// Replaces `*address` by `update(*address)` and returns the value before.
template<class T, class Update>
T modify(T* address, const void* site, Update update)
{
    record_access(address, sizeof(T), Access::atomic, site);
    const std::atomic_ref<T> value(*address);
    T before = value.load(std::memory_order_relaxed);
    while (!value.compare_exchange_weak(before, update(before))) {
    }
    return before;
}

/// Of whole numbers, wraps around quietly, as on a GPU.
template<class T>
T sum(T a, T b)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                              static_cast<std::make_unsigned_t<T>>(b));
    else
        return a + b;
}

} // namespace

// The return address is the call in the kernel: these are never inlined, and their callers in
// atomics.hpp always are.
#define ATOMIC(name, after)                                                                        \
    template<class T>                                                                              \
    T name(T* address, T value)                                                                    \
    {                                                                                              \
        return modify(address, __builtin_return_address(0), [value](T before) { return after; });  \
    }
ATOMIC(atomic_add, sum(before, value))
ATOMIC(atomic_subtract, sum(before, static_cast<T>(0u - value)))
ATOMIC(atomic_min, std::min(before, value))
ATOMIC(atomic_max, std::max(before, value))
ATOMIC(atomic_and, std::bit_and()(before, value))
ATOMIC(atomic_or, std::bit_or()(before, value))
ATOMIC(atomic_xor, std::bit_xor()(before, value))
#undef ATOMIC

template<class T>
T atomic_exchange(T* address, T value)
{
    return modify(address, __builtin_return_address(0), [value](T) { return value; });
}
template<class T>
T atomic_compare_exchange(T* address, T expected, T value)
{
    return modify(address, __builtin_return_address(0),
                  [=](T before) { return before == expected ? value : before; });
}
unsigned atomic_increment(unsigned* address, unsigned limit)
{
    return modify(address, __builtin_return_address(0),
                  [limit](unsigned before) { return before >= limit ? 0u : before + 1; });
}
unsigned atomic_decrement(unsigned* address, unsigned limit)
{
    return modify(address, __builtin_return_address(0), [limit](unsigned before) {
        return before == 0 || before > limit ? limit : before - 1;
    });
}

void memory_fence()
{
    note_other_order(); // what a fence orders is for a flag to tell
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

#define CPU_DEVICE_INSTANTIATE(T)                                                                  \
    template T atomic_add(T*, T);                                                                  \
    template T atomic_exchange(T*, T);
#define CPU_DEVICE_INSTANTIATE_INTEGER(T)                                                          \
    CPU_DEVICE_INSTANTIATE(T)                                                                      \
    template T atomic_min(T*, T);                                                                  \
    template T atomic_max(T*, T);                                                                  \
    template T atomic_and(T*, T);                                                                  \
    template T atomic_or(T*, T);                                                                   \
    template T atomic_xor(T*, T);                                                                  \
    template T atomic_compare_exchange(T*, T, T);
CPU_DEVICE_INSTANTIATE_INTEGER(int)
CPU_DEVICE_INSTANTIATE_INTEGER(unsigned)
CPU_DEVICE_INSTANTIATE_INTEGER(unsigned long long)
CPU_DEVICE_INSTANTIATE(float)
CPU_DEVICE_INSTANTIATE(double)
template int atomic_subtract(int*, int);
template unsigned atomic_subtract(unsigned*, unsigned);
template long long atomic_min(long long*, long long);
template long long atomic_max(long long*, long long);
template unsigned short atomic_compare_exchange(unsigned short*, unsigned short, unsigned short);
#undef CPU_DEVICE_INSTANTIATE_INTEGER
#undef CPU_DEVICE_INSTANTIATE

template<class Bits>
Bits atomic_add_bits(Bits* address, Bits value, Bits (*add)(Bits, Bits))
{
    const Untraced untraced;
    return modify(address, __builtin_return_address(0),
                  [=](Bits before) { return add(before, value); });
}
template std::uint16_t atomic_add_bits(std::uint16_t*, std::uint16_t,
                                       std::uint16_t (*)(std::uint16_t, std::uint16_t));
template std::uint32_t atomic_add_bits(std::uint32_t*, std::uint32_t,
                                       std::uint32_t (*)(std::uint32_t, std::uint32_t));

} // namespace cpu_device
