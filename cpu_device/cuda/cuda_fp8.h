/// \file
/// The 8-bit floating point types: E4M3, which has no infinity, and E5M2, the upper half of a half.
///
/// A conversion rounds once, to nearest even. What is too large becomes the largest number with
/// __NV_SATFINITE, as the constructors have it, and otherwise an infinity or, in E4M3, a NaN.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#include <algorithm>
#include <cmath>

#define __CUDA_FP8_TYPES_EXIST__

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t
{
    __NV_NOSAT,
    __NV_SATFINITE
};
enum __nv_fp8_interpretation_t
{
    __NV_E4M3,
    __NV_E5M2
};

namespace cpu_device {

/// What the two formats differ in.
struct Fp8Format
{
    int mantissa_bits;   ///< behind the leading one
    int bias;            ///< of the exponent
    double largest;      ///< number
    unsigned overflowed; ///< the bits of what is larger: NaN or infinity
};
inline constexpr Fp8Format fp8_formats[] = {{3, 7, 448, 0x7Fu}, {2, 15, 57344, 0x7Cu}};

inline unsigned to_fp8_bits(double value, __nv_saturation_t saturate,
                            __nv_fp8_interpretation_t format)
{
    const auto [mantissa_bits, bias, largest, overflowed] = fp8_formats[format];
    const unsigned sign = std::signbit(value) ? 0x80u : 0;
    const double magnitude = std::fabs(value);
    if (magnitude != magnitude)
        return sign | (format == __NV_E4M3 ? 0x7Fu : 0x7Eu);
    // The distance of two neighbours, which is that of the least normal numbers below those.
    const int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
    const double steps = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
    if (magnitude > largest && std::ldexp(steps, exponent - mantissa_bits) > largest)
        return sign |
               (saturate == __NV_SATFINITE ? (format == __NV_E4M3 ? 0x7Eu : 0x7Bu) : overflowed);
    // A mantissa that overflows carries into the exponent; without a leading one that is 0.
    const int biased = (exponent + bias - 1) << mantissa_bits;
    return sign | static_cast<unsigned>(biased + static_cast<int>(steps));
}

inline float from_fp8_bits(unsigned bits, __nv_fp8_interpretation_t format)
{
    const auto [mantissa_bits, bias, largest, overflowed] = fp8_formats[format];
    const int exponent = static_cast<int>(bits >> mantissa_bits & (0x7Fu >> mantissa_bits));
    const int mantissa = static_cast<int>(bits & ((1u << mantissa_bits) - 1));
    const int leading = exponent == 0 ? 0 : 1 << mantissa_bits;
    float magnitude = std::ldexp(static_cast<float>(mantissa + leading),
                                 (exponent == 0 ? 1 : exponent) - bias - mantissa_bits);
    if ((bits & 0x7Fu) >= overflowed)
        magnitude = format == __NV_E5M2 && mantissa == 0 ? HUGE_VALF : NAN;
    return (bits & 0x80u) != 0 ? -magnitude : magnitude;
}

} // namespace cpu_device

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t format)
{
    return static_cast<__nv_fp8_storage_t>(cpu_device::to_fp8_bits(x, saturate, format));
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t format)
{
    return __nv_cvt_double_to_fp8(x, saturate, format);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t format)
{
    return static_cast<__nv_fp8x2_storage_t>(cpu_device::to_fp8_bits(x.x, saturate, format) |
                                             cpu_device::to_fp8_bits(x.y, saturate, format) << 8);
}

/// A format: its type and its vectors of two and of four.
#define CPU_DEVICE_FP8(Fp8, Fp8x2, Fp8x4, format)                                                  \
    struct Fp8                                                                                     \
    {                                                                                              \
        __nv_fp8_storage_t __x;                                                                    \
        Fp8() = default;                                                                           \
        template<class T>                                                                          \
        explicit Fp8(T value)                                                                      \
            : __x(__nv_cvt_double_to_fp8(static_cast<double>(value), __NV_SATFINITE, format))      \
        {}                                                                                         \
        explicit Fp8(__half value) : Fp8(static_cast<float>(value)) {}                             \
        explicit Fp8(__nv_bfloat16 value) : Fp8(static_cast<float>(value)) {}                      \
        explicit operator float() const { return cpu_device::from_fp8_bits(__x, format); }         \
        explicit operator double() const { return static_cast<float>(*this); }                     \
        explicit operator __half() const { return static_cast<float>(*this); }                     \
        explicit operator __nv_bfloat16() const { return static_cast<float>(*this); }              \
    };                                                                                             \
    struct Fp8x2                                                                                   \
    {                                                                                              \
        __nv_fp8x2_storage_t __x;                                                                  \
        Fp8x2() = default;                                                                         \
        explicit Fp8x2(float2 value)                                                               \
            : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, format))                         \
        {}                                                                                         \
        explicit operator float2() const                                                           \
        {                                                                                          \
            return {cpu_device::from_fp8_bits(__x & 0xFFu, format),                                \
                    cpu_device::from_fp8_bits(__x >> 8, format)};                                  \
        }                                                                                          \
    };                                                                                             \
    struct Fp8x4                                                                                   \
    {                                                                                              \
        __nv_fp8x4_storage_t __x;                                                                  \
        Fp8x4() = default;                                                                         \
        explicit Fp8x4(float4 value)                                                               \
            : __x(unsigned{Fp8x2(float2{value.x, value.y}).__x} |                                  \
                  unsigned{Fp8x2(float2{value.z, value.w}).__x} << 16)                             \
        {}                                                                                         \
        explicit operator float4() const                                                           \
        {                                                                                          \
            return {cpu_device::from_fp8_bits(__x & 0xFFu, format),                                \
                    cpu_device::from_fp8_bits(__x >> 8 & 0xFFu, format),                           \
                    cpu_device::from_fp8_bits(__x >> 16 & 0xFFu, format),                          \
                    cpu_device::from_fp8_bits(__x >> 24, format)};                                 \
        }                                                                                          \
    };
CPU_DEVICE_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
CPU_DEVICE_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef CPU_DEVICE_FP8
