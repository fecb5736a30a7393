/// \file
/// Arithmetic that CUDA offers in kernels beyond <cmath>: bit functions, conversions with a
/// rounding mode, fast approximations (here as exact as the host's), and `min`/`max` at global
/// scope.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/function.hpp"
#include "cpu_device/detail/vector_types.hpp"

#include <climits>
#include <cmath>
#include <cstdint>

#include <math.h>
#include <stdlib.h>

// --- min and max ----------------------------------------------------------------------------

// Functions, not templates: with `using namespace std` a plain function wins against std::min.
#define CPU_DEVICE_MIN_MAX(Result, A, B)                                                           \
    CPU_DEVICE_FUNCTION(constexpr Result, min, (A a, B b),                                         \
                        static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)   \
                                                                        : static_cast<Result>(b))  \
    CPU_DEVICE_FUNCTION(constexpr Result, max, (A a, B b),                                         \
                        static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b)   \
                                                                        : static_cast<Result>(a))
CPU_DEVICE_MIN_MAX(int, int, int)
CPU_DEVICE_MIN_MAX(unsigned, unsigned, unsigned)
CPU_DEVICE_MIN_MAX(unsigned, int, unsigned)
CPU_DEVICE_MIN_MAX(unsigned, unsigned, int)
CPU_DEVICE_MIN_MAX(long, long, long)
CPU_DEVICE_MIN_MAX(unsigned long, unsigned long, unsigned long)
CPU_DEVICE_MIN_MAX(unsigned long, long, unsigned long)
CPU_DEVICE_MIN_MAX(unsigned long, unsigned long, long)
CPU_DEVICE_MIN_MAX(long long, long long, long long)
CPU_DEVICE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CPU_DEVICE_MIN_MAX(unsigned long long, long long, unsigned long long)
CPU_DEVICE_MIN_MAX(unsigned long long, unsigned long long, long long)

#define CPU_DEVICE_FLOAT_MIN_MAX(Result, A, B)                                                     \
    CPU_DEVICE_FUNCTION(Result, min, (A a, B b),                                                   \
                        std::fmin(static_cast<Result>(a), static_cast<Result>(b)))                 \
    CPU_DEVICE_FUNCTION(Result, max, (A a, B b),                                                   \
                        std::fmax(static_cast<Result>(a), static_cast<Result>(b)))
CPU_DEVICE_FLOAT_MIN_MAX(float, float, float)
CPU_DEVICE_FLOAT_MIN_MAX(double, double, double)
CPU_DEVICE_FLOAT_MIN_MAX(double, float, double)
CPU_DEVICE_FLOAT_MIN_MAX(double, double, float)

// --- bits -----------------------------------------------------------------------------------

CPU_DEVICE_FUNCTION(constexpr int, __popc, (unsigned value), __builtin_popcount(value))
CPU_DEVICE_FUNCTION(constexpr int, __popcll, (unsigned long long value),
                    __builtin_popcountll(value))
CPU_DEVICE_FUNCTION(constexpr int, __clz, (int value),
                    value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)))
CPU_DEVICE_FUNCTION(constexpr int, __clzll, (long long value),
                    value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value)))
CPU_DEVICE_FUNCTION(constexpr int, __ffs, (int value), __builtin_ffs(value))
CPU_DEVICE_FUNCTION(constexpr int, __ffsll, (long long value), __builtin_ffsll(value))
constexpr unsigned long long __brevll(unsigned long long value)
{
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; ++bit)
        reversed |= (value >> bit & 1u) << (63 - bit);
    return reversed;
}
CPU_DEVICE_FUNCTION(constexpr unsigned, __brev, (unsigned value),
                    static_cast<unsigned>(__brevll(value) >> 32))
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    const std::uint64_t value = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(value >> (shift & 31u));
}

// --- integers -------------------------------------------------------------------------------

CPU_DEVICE_FUNCTION(constexpr int, __mul24, (int a, int b), (a << 8 >> 8) * (b << 8 >> 8))
CPU_DEVICE_FUNCTION(constexpr unsigned, __umul24, (unsigned a, unsigned b),
                    (a & 0xFFFFFFu) * (b & 0xFFFFFFu))
CPU_DEVICE_FUNCTION(constexpr unsigned, __umulhi, (unsigned a, unsigned b),
                    static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32))
CPU_DEVICE_FUNCTION(constexpr int, __hadd, (int a, int b),
                    static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1))
/// `c` plus the products of the four signed bytes of `a` and `b`.
constexpr int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; ++i)
        c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
    return c;
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; ++i)
        c += (a >> (8 * i) & 0xFFu) * (b >> (8 * i) & 0xFFu);
    return c;
}

// --- the same bits as another type ----------------------------------------------------------

CPU_DEVICE_FUNCTION(int, __float_as_int, (float from), __builtin_bit_cast(int, from))
CPU_DEVICE_FUNCTION(unsigned, __float_as_uint, (float from), __builtin_bit_cast(unsigned, from))
CPU_DEVICE_FUNCTION(float, __int_as_float, (int from), __builtin_bit_cast(float, from))
CPU_DEVICE_FUNCTION(float, __uint_as_float, (unsigned from), __builtin_bit_cast(float, from))
CPU_DEVICE_FUNCTION(long long, __double_as_longlong, (double from),
                    __builtin_bit_cast(long long, from))
CPU_DEVICE_FUNCTION(double, __longlong_as_double, (long long from),
                    __builtin_bit_cast(double, from))

// --- conversions with a rounding mode -------------------------------------------------------

namespace cpu_device {

/// A rounded value as an integer: out of range becomes the nearest integer, NaN zero, as on a GPU.
template<class To, class From>
To saturate_to(From rounded)
{
    constexpr To lowest =
        static_cast<To>(std::is_signed_v<To> ? To(1) << (sizeof(To) * CHAR_BIT - 1) : To(0));
    constexpr To highest = static_cast<To>(~lowest);
    if (!(rounded == rounded))
        return 0;
    if (rounded <= static_cast<From>(lowest))
        return lowest;
    if (rounded >= static_cast<From>(highest))
        return highest;
    return static_cast<To>(rounded);
}

} // namespace cpu_device

#define CPU_DEVICE_ROUND_TO(from, From, to, To)                                                    \
    CPU_DEVICE_FUNCTION(To, __##from##2##to##_rn, (From value),                                    \
                        cpu_device::saturate_to<To>(std::nearbyint(value)))                        \
    CPU_DEVICE_FUNCTION(To, __##from##2##to##_rz, (From value),                                    \
                        cpu_device::saturate_to<To>(std::trunc(value)))                            \
    CPU_DEVICE_FUNCTION(To, __##from##2##to##_ru, (From value),                                    \
                        cpu_device::saturate_to<To>(std::ceil(value)))                             \
    CPU_DEVICE_FUNCTION(To, __##from##2##to##_rd, (From value),                                    \
                        cpu_device::saturate_to<To>(std::floor(value)))
CPU_DEVICE_ROUND_TO(float, float, int, int)
CPU_DEVICE_ROUND_TO(float, float, uint, unsigned)
CPU_DEVICE_ROUND_TO(double, double, int, int)

// To the nearest, which is the host's mode.
CPU_DEVICE_FUNCTION(float, __int2float_rn, (int value), static_cast<float>(value))
CPU_DEVICE_FUNCTION(float, __uint2float_rn, (unsigned value), static_cast<float>(value))
CPU_DEVICE_FUNCTION(float, __double2float_rn, (double value), static_cast<float>(value))

// --- floating point -------------------------------------------------------------------------

CPU_DEVICE_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
CPU_DEVICE_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
inline float __fmul_rn(float a, float b)
{
    return a * b;
}
CPU_DEVICE_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
CPU_DEVICE_FUNCTION(float, __fsqrt_rn, (float a), std::sqrt(a))
CPU_DEVICE_FUNCTION(float, __frcp_rn, (float a), 1.0f / a)
CPU_DEVICE_FUNCTION(float, __frsqrt_rn, (float a), 1.0f / std::sqrt(a))
CPU_DEVICE_FUNCTION(float, __fdividef, (float a, float b), a / b)
CPU_DEVICE_FUNCTION(float, __expf, (float a), std::exp(a))
CPU_DEVICE_FUNCTION(float, __logf, (float a), std::log(a))
CPU_DEVICE_FUNCTION(float, __sinf, (float a), std::sin(a))
CPU_DEVICE_FUNCTION(void, __sincosf, (float a, float* sine, float* cosine),
                    static_cast<void>((*sine = std::sin(a), *cosine = std::cos(a))))
CPU_DEVICE_FUNCTION(float, __saturatef, (float a), a > 0 ? fminf(a, 1) : 0) // 0 of NaN
CPU_DEVICE_FUNCTION(float, __cosf, (float a), std::cos(a))
CPU_DEVICE_FUNCTION(float, rsqrtf, (float a), 1.0f / std::sqrt(a))
CPU_DEVICE_FUNCTION(double, rsqrt, (double a), 1.0 / std::sqrt(a))
CPU_DEVICE_FUNCTION(float, rsqrt, (float a), rsqrtf(a))
