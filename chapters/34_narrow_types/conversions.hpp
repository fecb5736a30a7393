/// \file
/// Numbers of 8, 16 and 32 bits as floats, and floats as such numbers; on either side.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cmath>
#include <type_traits>

//! [conversions]
/// A number of any type as a float, which holds all of them.
template<class T>
__host__ __device__ float widen(T x)
{
    return static_cast<float>(x);
}

/// The number of type T that is closest to x: float, __nv_bfloat16, __nv_fp8_e4m3 or signed char.
template<class T>
__host__ __device__ T narrow(float x)
{
    if constexpr (std::is_same_v<T, signed char>) {
        return static_cast<T>(static_cast<int>(rintf(x)));
    } else {
        return T(x);
    }
}
//! [conversions]

/// The name of a type, as tables have it.
template<class T>
inline constexpr const char* type_name = std::is_same_v<T, float>           ? "float"
                                         : std::is_same_v<T, __nv_bfloat16> ? "bf16"
                                         : std::is_same_v<T, __nv_fp8_e4m3> ? "fp8"
                                                                            : "int8";
/// The largest number of a type of 8 bits.
template<class T>
inline constexpr float largest_number = std::is_same_v<T, signed char> ? 127 : 448;
