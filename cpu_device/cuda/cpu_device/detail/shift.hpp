/// \file
/// Shifts by as many bits as there are, or more, which C++ leaves open: a GPU shifts all of them
/// out, where the host's processor takes the count modulo 32 or 64. `lane_mask >> (32 - lane)`
/// becomes `lane_mask >> ::cpu_device::shift_count * (32 - lane)`.
#pragma once
#pragma GCC system_header

#include <type_traits>

namespace cpu_device {

template<class T>
inline constexpr bool can_be_shifted = std::is_integral_v<T> ||
                                       (std::is_enum_v<T> && std::is_convertible_v<T, long long>);

/// The count of a shift. It computes like the number that it holds, with all that binds more
/// closely than a shift.
template<class T>
struct ShiftCount
{
    T value;
    /// For types with shifts of their own.
    __attribute__((always_inline)) constexpr operator T() const { return value; }
};

/// In front of a count. With `*`, because `a << b + c` without parentheses earns a warning.
struct ShiftCountBegins
{};
inline constexpr ShiftCountBegins shift_count = {};

template<class T>
__attribute__((always_inline)) constexpr auto operator*(ShiftCountBegins, T value)
{
    if constexpr (can_be_shifted<T>)
        return ShiftCount<T>{value};
    else
        return value;
}

#define CPU_DEVICE_OPERATOR(symbol)                                                                \
    template<class T, class U>                                                                     \
    __attribute__((always_inline)) constexpr auto operator symbol(ShiftCount<T> count, U by)       \
    {                                                                                              \
        return ShiftCount<decltype(count.value symbol by)>{count.value symbol by};                 \
    }
CPU_DEVICE_OPERATOR(+)
CPU_DEVICE_OPERATOR(-)
CPU_DEVICE_OPERATOR(*)
CPU_DEVICE_OPERATOR(/)
CPU_DEVICE_OPERATOR(%)

template<class T, class U, class = std::enable_if_t<can_be_shifted<T> && can_be_shifted<U>>>
__attribute__((always_inline)) constexpr auto operator<<(T value, ShiftCount<U> count)
{
    using Shifted = decltype(value << count.value);
    const auto bits = static_cast<unsigned>(count.value);
    return bits < 8 * sizeof(Shifted) ? static_cast<Shifted>(value << bits) : Shifted(0);
}

template<class T, class U, class = std::enable_if_t<can_be_shifted<T> && can_be_shifted<U>>>
__attribute__((always_inline)) constexpr auto operator>>(T value, ShiftCount<U> count)
{
    using Shifted = decltype(value >> count.value);
    const auto bits = static_cast<unsigned>(count.value);
    return bits < 8 * sizeof(Shifted) ? static_cast<Shifted>(value >> bits)
                                      : static_cast<Shifted>(value < 0 ? -1 : 0);
}

} // namespace cpu_device
