// The operations on a row: a softmax, a norm, and the conversion to fp8 with a scale. Each reduces
// a row to a float2, and derives from it two factors that all results of the row share.
#pragma once

#include "eight.cuh"
#include "row_shape.hpp"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

using bf16 = __nv_bfloat16;

// Loads the weight of a column for an `Op` that has weights; else 0, without a load.
template<class Op>
__device__ float weight(const __nv_bfloat16* w, unsigned column)
{
    if constexpr (Op::weighted)
        return __bfloat162float(w[column]);
    else
        return 0;
}
// The same for the eight columns from 8 i on.
template<class Op>
__device__ Eight weights(const __nv_bfloat16* w, unsigned i)
{
    if constexpr (Op::weighted)
        return unpack8(reinterpret_cast<const uint4*>(w)[i]);
    else
        return {};
}

// Rounds eight results and stores them at once; __stcs() was up to 1.2 % slower on an H200.
__device__ inline void store8(__nv_bfloat16* to, const Eight& y)
{
    *reinterpret_cast<uint4*>(to) = make_uint4(word_of(y.x[0], y.x[1]), word_of(y.x[2], y.x[3]),
                                               word_of(y.x[4], y.x[5]), word_of(y.x[6], y.x[7]));
}
// The same for results of 8 bits.
__device__ inline void store8(__nv_fp8_e4m3* to, const Eight& y)
{
    const __nv_fp8x4_e4m3 low(make_float4(y.x[0], y.x[1], y.x[2], y.x[3]));
    const __nv_fp8x4_e4m3 high(make_float4(y.x[4], y.x[5], y.x[6], y.x[7]));
    *reinterpret_cast<uint2*>(to) = make_uint2(low.__x, high.__x);
}

//! [operations]
// e^x over the sum of all e^x. Partial result: the largest x, and the sum of e^(x - largest), which
// cannot overflow.
struct Softmax
{
    static constexpr bool weighted = false; // whether each column has a weight
    static constexpr bool second = false;   // whether it reads another Op's results
    using Out = __nv_bfloat16;              // type of a result
    // The partial result of nothing; not -infinity, because -infinity less itself is not a number.
    static __device__ float2 identity() { return make_float2(-3.4e38F, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(x, 1); }
    // Combines two partial results: the sum with the smaller largest x is rescaled.
    static __device__ float2 combine(float2 a, float2 b)
    {
        const float largest = fmaxf(a.x, b.x);
        return make_float2(largest, a.y * __expf(a.x - largest) + b.y * __expf(b.x - largest));
    }
    // Combines eight elements into a: the sum is rescaled once for all of them.
    static __device__ float2 combine8(float2 a, const Eight& v, const Eight&)
    {
        float2 b = make_float2(v.x[0], 0);
        for (int k = 1; k < 8; ++k) {
            b.x = fmaxf(b.x, v.x[k]);
        }
        b.x = fmaxf(b.x, a.x);
        for (int k = 0; k < 8; ++k) {
            b.y += __expf(v.x[k] - b.x);
        }
        return make_float2(b.x, a.y * __expf(a.x - b.x) + b.y);
    }
    // The factors of a row's results; .y of NormToFp8 and of ToFp8 is the scale.
    static __device__ float2 factors(float2 all, unsigned) { return make_float2(all.x, 1 / all.y); }
    // The result of an element.
    static __device__ float result(float x, float, float2 f) { return __expf(x - f.x) * f.y; }
};

// RMSNorm: x over the root mean square, times a weight. Partial result: the sum of the squares.
struct Norm
{
    static constexpr bool weighted = true; // whether each column has a weight
    static constexpr bool second = false;  // whether it reads another Op's results
    using Out = __nv_bfloat16;             // type of a result
    // The partial result of nothing.
    static __device__ float2 identity() { return make_float2(0, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(x * x, 0); }
    // Combines two partial results.
    static __device__ float2 combine(float2 a, float2 b) { return make_float2(a.x + b.x, 0); }
    // Combines eight elements into a.
    static __device__ float2 combine8(float2 a, const Eight& v, const Eight&)
    {
        for (int k = 0; k < 8; ++k) {
            a.x += v.x[k] * v.x[k];
        }
        return a;
    }
    // The factors of a row's results.
    static __device__ float2 factors(float2 all, unsigned columns)
    {
        return make_float2(rsqrtf(all.x / static_cast<float>(columns) + norm_epsilon), 0);
    }
    // The result of an element.
    static __device__ float result(float x, float weight, float2 f) { return x * f.x * weight; }
};

// The same in fp8, divided by a scale per row that maps the largest result to 448. Partial result:
// the sum of the squares, and the largest |x weight|. The root mean square, which all results
// share, is only in the scale.
struct NormToFp8
{
    static constexpr bool weighted = true; // whether each column has a weight
    static constexpr bool second = false;  // whether it reads another Op's results
    using Out = __nv_fp8_e4m3;             // type of a result
    // The partial result of nothing.
    static __device__ float2 identity() { return make_float2(0, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float weight)
    {
        return make_float2(x * x, fabsf(x * weight));
    }
    // Combines two partial results.
    static __device__ float2 combine(float2 a, float2 b)
    {
        return make_float2(a.x + b.x, fmaxf(a.y, b.y));
    }
    // Combines eight elements into a.
    static __device__ float2 combine8(float2 a, const Eight& v, const Eight& weights)
    {
        for (int k = 0; k < 8; ++k) {
            a = combine(a, from_element(v.x[k], weights.x[k]));
        }
        return a;
    }
    // The factors of a row's results.
    static __device__ float2 factors(float2 all, unsigned columns)
    {
        const float root = Norm::factors(all, columns).x;
        return make_float2(all.y > 0 ? largest_fp8 / all.y : 0, root * all.y / largest_fp8);
    }
    // The result of an element.
    static __device__ float result(float x, float weight, float2 f) { return x * weight * f.x; }
};
//! [operations]

// Numbers in 8 bits, over a scale of the row's own. Gathered: the largest |x|.
struct ToFp8
{
    static constexpr bool weighted = false; // whether each column has a weight
    static constexpr bool second = true;    // whether it reads another Op's results
    using Out = __nv_fp8_e4m3;              // type of a result
    // The partial result of nothing.
    static __device__ float2 identity() { return make_float2(0, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(0, fabsf(x)); }
    // Combines two partial results.
    static __device__ float2 combine(float2 a, float2 b) { return make_float2(0, fmaxf(a.y, b.y)); }
    // Combines eight elements into a.
    static __device__ float2 combine8(float2 a, const Eight& v, const Eight&)
    {
        for (int k = 0; k < 8; ++k) {
            a.y = fmaxf(a.y, fabsf(v.x[k]));
        }
        return a;
    }
    // The factors of a row's results.
    static __device__ float2 factors(float2 all, unsigned)
    {
        return make_float2(all.y > 0 ? largest_fp8 / all.y : 0, all.y / largest_fp8);
    }
    // The result of an element.
    static __device__ float result(float x, float, float2 f) { return x * f.x; }
};

// Stores eight adjacent results at once.
template<class Op>
__device__ void store_results(typename Op::Out* to, Eight v, const Eight& weights, float2 factors)
{
    for (int k = 0; k < 8; ++k)
        v.x[k] = Op::result(v.x[k], weights.x[k], factors);
    store8(to, v);
}
