/// \file
/// The 16-bit floating point types of cuda_fp16.h and cuda_bf16.h, and their vectors of two.
///
/// Arithmetic is done in float or double and rounded once to nearest even, as a GPU rounds it. A
/// value moves as 2 bytes and a vector as 4, in one access each.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/detail/function.hpp"
#include "cpu_device/detail/math.hpp"
#include "cpu_device/detail/vector_types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cpu_device {

/// Adds to the vector of two 16-bit values, or the value, at `address` and returns what was there:
/// `add` works on the bits. Recorded as one atomic access at `site`.
template<class Bits>
Bits atomic_add_bits(Bits* address, Bits value, Bits (*add)(Bits, Bits));

/// The sum, rounded to odd where a double has no space for it: its last bit is then 1, so that a
/// rounding to fewer bits sees that it is no tie.
inline double add_rounding_to_odd(double a, double b)
{
    const double sum = a + b;
    const double b_in_sum = sum - a;
    const double lost = (a - (sum - b_in_sum)) + (b - b_in_sum); // exact: Knuth's TwoSum
    const auto bits = __builtin_bit_cast(std::uint64_t, sum);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (bits % 2 == 0 && lost > 0)
        return std::nextafter(sum, infinity);
    if (bits % 2 == 0 && lost < 0)
        return std::nextafter(sum, -infinity);
    return sum;
}

/// Rounds to a format of 16 bits whose exponent has `exponent_bits`, ties to even. On the bits
/// alone: kernels of 16-bit types do hardly anything else.
template<int exponent_bits>
[[gnu::always_inline]] inline std::uint16_t round_to_16_bits(double value)
{
    constexpr int mantissa_bits = 15 - exponent_bits;
    constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    constexpr unsigned infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    constexpr int wide_bits = 52, wide_bias = 1023; // of a double
    constexpr std::uint64_t wide_one = std::uint64_t{1} << wide_bits;
    constexpr std::uint64_t wide_infinity = std::uint64_t{0x7FF} << wide_bits;
    auto magnitude = __builtin_bit_cast(std::uint64_t, value);
    const auto sign = static_cast<unsigned>(magnitude >> 63 << 15);
    magnitude = magnitude << 1 >> 1;
    if (magnitude >= wide_infinity)
        return static_cast<std::uint16_t>(magnitude > wide_infinity ? 0x7FFFu : sign | infinity);
    // Below the least exponent of the format, the leading one becomes a digit like the others.
    const int exponent = static_cast<int>(magnitude >> wide_bits);
    const int below = wide_bias - bias + 1 - exponent;
    int dropped = wide_bits - mantissa_bits;
    if (below > 0) {
        magnitude = magnitude % wide_one + (exponent > 0 ? wide_one : 0);
        dropped = dropped + below < 63 ? dropped + below : 63;
    } else {
        magnitude -= static_cast<std::uint64_t>(wide_bias - bias) << wide_bits;
    }
    // A mantissa that overflows carries into the exponent.
    std::uint64_t bits = magnitude >> dropped;
    const std::uint64_t rest = magnitude - (bits << dropped);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    bits += rest > half || (rest == half && bits % 2 != 0);
    return static_cast<std::uint16_t>(sign | std::min<std::uint64_t>(bits, infinity));
}

CPU_DEVICE_FUNCTION(std::uint16_t, to_half_bits, (double value), round_to_16_bits<5>(value))
CPU_DEVICE_FUNCTION(std::uint16_t, to_bfloat16_bits, (double value), round_to_16_bits<8>(value))
/// A bfloat16 is the upper half of a float.
[[gnu::always_inline]] inline std::uint16_t to_bfloat16_bits(float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>(value != value ? 0x7FFFu : rounded);
}
[[gnu::always_inline]] inline float from_half_bits(std::uint16_t bits)
{
    const unsigned exponent = bits >> 10 & 0x1Fu;
    const unsigned mantissa = bits & 0x3FFu;
    const std::uint32_t wide = exponent == 0x1F ? (mantissa == 0 ? 0x7F800000u : 0x7FC00000u)
                                                : (exponent + 112) << 23 | mantissa << 13;
    const float magnitude =
        exponent != 0 ? __builtin_bit_cast(float, wide) : static_cast<float>(mantissa) * 0x1p-24f;
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}
CPU_DEVICE_FUNCTION(float, from_bfloat16_bits, (std::uint16_t bits),
                    __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16))

} // namespace cpu_device

/// A format: its type, its vector of two, and the functions that both formats have by one name.
#define CPU_DEVICE_HALF(Half, Half2, to_bits, from_bits)                                           \
    struct Half                                                                                    \
    {                                                                                              \
        std::uint16_t cpu_device_bits;                                                             \
        Half() = default;                                                                          \
        [[gnu::always_inline]] Half(float value) : cpu_device_bits(cpu_device::to_bits(value)) {}  \
        [[gnu::always_inline]] Half(double value) : cpu_device_bits(cpu_device::to_bits(value)) {} \
        template<class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>        \
        [[gnu::always_inline]] Half(Integer value)                                                 \
            : cpu_device_bits(cpu_device::to_bits(static_cast<double>(value)))                     \
        {}                                                                                         \
        [[gnu::always_inline]] operator float() const                                              \
        {                                                                                          \
            return cpu_device::from_bits(cpu_device_bits);                                         \
        }                                                                                          \
        CPU_DEVICE_FUNCTION(Half&, operator+=, (Half b), *this = Half(float(*this) + float(b)))    \
        CPU_DEVICE_FUNCTION(Half&, operator-=, (Half b), *this = Half(float(*this) - float(b)))    \
        CPU_DEVICE_FUNCTION(Half&, operator*=, (Half b), *this = Half(float(*this) * float(b)))    \
        CPU_DEVICE_FUNCTION(Half&, operator/=, (Half b), *this = Half(float(*this) / float(b)))    \
    };                                                                                             \
    struct alignas(4) Half2                                                                        \
    {                                                                                              \
        Half x, y;                                                                                 \
        Half2() = default;                                                                         \
        Half2(Half x_, Half y_) : x(x_), y(y_) {}                                                  \
        CPU_DEVICE_COPY_BY(move_vector, Half2)                                                     \
        CPU_DEVICE_FUNCTION(Half2&, operator+=, (Half2 b), *this = Half2(x + b.x, y + b.y))        \
        CPU_DEVICE_FUNCTION(Half2&, operator-=, (Half2 b), *this = Half2(x - b.x, y - b.y))        \
        [[gnu::always_inline]] Half2& operator*=(Half2 b)                                          \
        {                                                                                          \
            return *this = Half2(x * b.x, y * b.y);                                                \
        }                                                                                          \
    };                                                                                             \
    CPU_DEVICE_HALF_OPERATOR(Half, Half2, +, __hadd)                                               \
    CPU_DEVICE_HALF_OPERATOR(Half, Half2, -, __hsub)                                               \
    CPU_DEVICE_HALF_OPERATOR(Half, Half2, *, __hmul)                                               \
    CPU_DEVICE_HALF_OPERATOR(Half, Half2, /, __hdiv)                                               \
    [[gnu::always_inline]] inline Half operator-(Half a)                                           \
    {                                                                                              \
        a.cpu_device_bits = static_cast<std::uint16_t>(a.cpu_device_bits ^ 0x8000u);               \
        return a;                                                                                  \
    }                                                                                              \
    [[gnu::always_inline]] inline Half __hfma(Half a, Half b, Half c)                              \
    {                                                                                              \
        const double product = double(float(a)) * double(float(b)); /* exact */                    \
        return Half(cpu_device::add_rounding_to_odd(product, double(float(c))));                   \
    }                                                                                              \
    CPU_DEVICE_FUNCTION(Half2, __hfma2, (Half2 a, Half2 b, Half2 c),                               \
                        {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)})                            \
    CPU_DEVICE_FUNCTION(bool, __hisnan, (Half a), float(a) != float(a))                            \
    [[gnu::always_inline]] inline Half atomicAdd(Half* address, Half value)                        \
    {                                                                                              \
        const auto add = [](std::uint16_t a, std::uint16_t b) {                                    \
            return cpu_device::to_bits(                                                            \
                static_cast<double>(cpu_device::from_bits(a) + cpu_device::from_bits(b)));         \
        };                                                                                         \
        value.cpu_device_bits = cpu_device::atomic_add_bits(                                       \
            reinterpret_cast<std::uint16_t*>(address), value.cpu_device_bits, +add);               \
        return value;                                                                              \
    }                                                                                              \
    [[gnu::always_inline]] inline Half2 atomicAdd(Half2* address, Half2 value)                     \
    {                                                                                              \
        const auto add = [](std::uint32_t a, std::uint32_t b) {                                    \
            const auto half = [](std::uint32_t c, std::uint32_t d) {                               \
                return std::uint32_t{cpu_device::to_bits(                                          \
                    static_cast<double>(cpu_device::from_bits(static_cast<std::uint16_t>(c)) +     \
                                        cpu_device::from_bits(static_cast<std::uint16_t>(d))))};   \
            };                                                                                     \
            return half(a >> 16, b >> 16) << 16 | half(a, b);                                      \
        };                                                                                         \
        std::uint32_t bits;                                                                        \
        std::memcpy(&bits, static_cast<const void*>(&value), sizeof bits);                         \
        bits = cpu_device::atomic_add_bits(reinterpret_cast<std::uint32_t*>(address), bits, +add); \
        std::memcpy(static_cast<void*>(&value), &bits, sizeof bits);                               \
        return value;                                                                              \
    }

#define CPU_DEVICE_HALF_OPERATOR(Half, Half2, op, name)                                            \
    CPU_DEVICE_FUNCTION(Half, operator op, (Half a, Half b), Half(float(a) op float(b)))           \
    CPU_DEVICE_FUNCTION(Half2, operator op, (Half2 a, Half2 b), {a.x op b.x, a.y op b.y})          \
    CPU_DEVICE_FUNCTION(Half, name, (Half a, Half b), a op b)                                      \
    CPU_DEVICE_FUNCTION(Half2, name##2, (Half2 a, Half2 b), a op b)

/// The conversions, whose names say the format: `half`, `half2` as it stands in them.
#define CPU_DEVICE_HALF_CONVERSIONS(Half, Half2, half, half2, to_bits)                             \
    CPU_DEVICE_FUNCTION(Half, __float2##half, (float a), Half(a))                                  \
    CPU_DEVICE_FUNCTION(float, __##half##2float, (Half a), a)                                      \
    CPU_DEVICE_FUNCTION(Half2, __float2##half2##_rn, (float a), {Half(a), Half(a)})                \
    CPU_DEVICE_FUNCTION(Half2, __floats2##half2##_rn, (float a, float b), {Half(a), Half(b)})      \
    CPU_DEVICE_FUNCTION(Half2, __float22##half2##_rn, (float2 a), {Half(a.x), Half(a.y)})          \
    CPU_DEVICE_FUNCTION(float2, __##half2##2float2, (Half2 a), {float(a.x), float(a.y)})           \
    CPU_DEVICE_FUNCTION(Half2, __##half##2##half2, (Half a), {a, a})                               \
    CPU_DEVICE_FUNCTION(Half2, __halves2##half2, (Half a, Half b), {a, b})                         \
    CPU_DEVICE_FUNCTION(Half2, make_##half2, (Half a, Half b), {a, b})                             \
    CPU_DEVICE_FUNCTION(Half, __float2##half##_rn, (float a), Half(a))                             \
    CPU_DEVICE_FUNCTION(Half, __int2##half##_rn, (int a), Half(a))                                 \
    CPU_DEVICE_FUNCTION(int, __##half##2int_rn, (Half a), __float2int_rn(float(a)))                \
    CPU_DEVICE_FUNCTION(Half, __low2##half, (Half2 a), a.x)                                        \
    CPU_DEVICE_FUNCTION(Half, __high2##half, (Half2 a), a.y)                                       \
    CPU_DEVICE_FUNCTION(float, __low2float, (Half2 a), a.x)                                        \
    CPU_DEVICE_FUNCTION(float, __high2float, (Half2 a), a.y)                                       \
    CPU_DEVICE_FUNCTION(unsigned short, __##half##_as_ushort, (Half a), a.cpu_device_bits)         \
    [[gnu::always_inline]] inline Half __ushort_as_##half(unsigned short bits)                     \
    {                                                                                              \
        Half a;                                                                                    \
        a.cpu_device_bits = bits;                                                                  \
        return a;                                                                                  \
    }
