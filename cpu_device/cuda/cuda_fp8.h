/// \file
/// E4M3, the 8-bit floating point type without an infinity.
///
/// A conversion rounds once, to nearest even. What is too large becomes the largest number.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#include <algorithm>
#include <cmath>

#define __CUDA_FP8_TYPES_EXIST__

using __nv_fp8_storage_t = unsigned char;

namespace cpu_device {

inline __nv_fp8_storage_t to_e4m3_bits(double value)
{
    const int sign = std::signbit(value) ? 0x80 : 0;
    const double magnitude = std::fmin(std::fabs(value), 448); // the largest number
    if (value != value)
        return static_cast<__nv_fp8_storage_t>(sign | 0x7F);
    // The distance of two neighbours, which is that of the least normal numbers below those.
    const int exponent = magnitude == 0 ? -6 : std::max(std::ilogb(magnitude), -6);
    const double steps = std::nearbyint(std::ldexp(magnitude, 3 - exponent));
    // A mantissa that overflows carries into the exponent; without a leading one that is 0.
    return static_cast<__nv_fp8_storage_t>(sign |
                                           (((exponent + 6) << 3) + static_cast<int>(steps)));
}

} // namespace cpu_device

struct __nv_fp8_e4m3
{
    __nv_fp8_storage_t __x;
    __nv_fp8_e4m3() = default;
    template<class T>
    explicit __nv_fp8_e4m3(T value) : __x(cpu_device::to_e4m3_bits(static_cast<double>(value)))
    {}
    explicit __nv_fp8_e4m3(__half value) : __nv_fp8_e4m3(static_cast<float>(value)) {}
    explicit __nv_fp8_e4m3(__nv_bfloat16 value) : __nv_fp8_e4m3(static_cast<float>(value)) {}
    explicit operator float() const
    {
        const int exponent = __x >> 3 & 0xF;
        const int mantissa = (__x & 7) + (exponent == 0 ? 0 : 8);
        const float magnitude =
            (__x & 0x7F) == 0x7F
                ? NAN
                : std::ldexp(static_cast<float>(mantissa), (exponent == 0 ? 1 : exponent) - 10);
        return (__x & 0x80) != 0 ? -magnitude : magnitude;
    }
    explicit operator double() const { return static_cast<float>(*this); }
    explicit operator __half() const { return static_cast<float>(*this); }
    explicit operator __nv_bfloat16() const { return static_cast<float>(*this); }
};

/// Four of them, in one word.
struct __nv_fp8x4_e4m3
{
    unsigned __x;
    __nv_fp8x4_e4m3() = default;
    explicit __nv_fp8x4_e4m3(float4 value)
        : __x(unsigned{__nv_fp8_e4m3(value.x).__x} | unsigned{__nv_fp8_e4m3(value.y).__x} << 8 |
              unsigned{__nv_fp8_e4m3(value.z).__x} << 16 |
              unsigned{__nv_fp8_e4m3(value.w).__x} << 24)
    {}
    explicit operator float4() const { return {number(0), number(1), number(2), number(3)}; }

  private:
    float number(int place) const
    {
        __nv_fp8_e4m3 one;
        one.__x = static_cast<__nv_fp8_storage_t>(__x >> (8 * place));
        return static_cast<float>(one);
    }
};
