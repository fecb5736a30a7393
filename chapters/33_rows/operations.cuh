// The operations on a row for which the other kernels are templates: a softmax, RMSNorm, and
// RMSNorm with fp8 results. An operation (Op) reduces a row to a float2, and computes from that two
// factors that all results of the row share.
#pragma once

#include "float8.cuh"
#include "reduce_row.cuh"

//! [operations]
// The softmax: e^x over the sum of all e^x. The partial result is that of MaxAndSum: the largest x,
// and the sum of e^(x - largest).
struct Softmax : MaxAndSum
{
    static constexpr bool weighted = false;      // whether each column has a weight
    static constexpr bool second_kernel = false; // whether it reads the results of another Op
    using Out = bf16;                            // type of a result
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(x, 1); }
    // Combines eight elements into a: the sum is rescaled once for all of them.
    static __device__ float2 combine8(float2 a, const Float8& v, const Float8&)
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
    // The factors of a row's results.
    static __device__ float2 factors(float2 total, unsigned)
    {
        return make_float2(total.x, 1 / total.y);
    }
    // The result of an element.
    static __device__ float result(float x, float, float2 f) { return __expf(x - f.x) * f.y; }
};

// RMSNorm: x over the root mean square, times a weight. Partial result: the sum of the squares.
struct Norm
{
    static constexpr bool weighted = true;       // whether each column has a weight
    static constexpr bool second_kernel = false; // whether it reads the results of another Op
    using Out = bf16;                            // type of a result
    // The partial result of no elements.
    static __device__ float2 identity() { return make_float2(0, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(x * x, 0); }
    // Combines two partial results.
    static __device__ float2 combine(float2 a, float2 b) { return make_float2(a.x + b.x, 0); }
    // Combines eight elements and their weights into a.
    static __device__ float2 combine8(float2 a, const Float8& v, const Float8&)
    {
        for (int k = 0; k < 8; ++k) {
            a.x += v.x[k] * v.x[k];
        }
        return a;
    }
    // The factors of a row's results.
    static __device__ float2 factors(float2 total, unsigned columns)
    {
        return make_float2(rsqrtf(total.x / static_cast<float>(columns) + norm_epsilon), 0);
    }
    // The result of an element.
    static __device__ float result(float x, float weight, float2 f) { return x * f.x * weight; }
};

// RMSNorm in fp8, divided by a scale per row that maps the largest result to 448. Partial result:
// the sum of the squares, and the largest |x weight|. The root mean square, which all results
// share, is only in the scale.
struct NormToFp8
{
    static constexpr bool weighted = true;       // whether each column has a weight
    static constexpr bool second_kernel = false; // whether it reads the results of another Op
    using Out = __nv_fp8_e4m3;                   // type of a result
    // The partial result of no elements.
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
    // Combines eight elements and their weights into a.
    static __device__ float2 combine8(float2 a, const Float8& v, const Float8& weights)
    {
        for (int k = 0; k < 8; ++k) {
            a = combine(a, from_element(v.x[k], weights.x[k]));
        }
        return a;
    }
    // The factors of a row's results; .y is its scale.
    static __device__ float2 factors(float2 total, unsigned columns)
    {
        const float root = Norm::factors(total, columns).x;
        return make_float2(total.y > 0 ? largest_fp8 / total.y : 0, root * total.y / largest_fp8);
    }
    // The result of an element.
    static __device__ float result(float x, float weight, float2 f) { return x * weight * f.x; }
};
//! [operations]

// Converts bf16 results to fp8, divided by a scale per row. Partial result: the largest |x|.
struct ToFp8
{
    static constexpr bool weighted = false;     // whether each column has a weight
    static constexpr bool second_kernel = true; // whether it reads the results of another Op
    using Out = __nv_fp8_e4m3;                  // type of a result
    // The partial result of no elements.
    static __device__ float2 identity() { return make_float2(0, 0); }
    // The partial result of one element and its weight.
    static __device__ float2 from_element(float x, float) { return make_float2(0, fabsf(x)); }
    // Combines two partial results.
    static __device__ float2 combine(float2 a, float2 b) { return make_float2(0, fmaxf(a.y, b.y)); }
    // Combines eight elements and their weights into a.
    static __device__ float2 combine8(float2 a, const Float8& v, const Float8&)
    {
        for (int k = 0; k < 8; ++k) {
            a.y = fmaxf(a.y, fabsf(v.x[k]));
        }
        return a;
    }
    // The factors of a row's results; .y is its scale.
    static __device__ float2 factors(float2 total, unsigned)
    {
        return make_float2(total.y > 0 ? largest_fp8 / total.y : 0, total.y / largest_fp8);
    }
    // The result of an element.
    static __device__ float result(float x, float, float2 f) { return x * f.x; }
};

// Loads the weight of a column for an Op that has weights; else 0, without a load.
template<class Op>
__device__ float weight(const bf16* w, unsigned column)
{
    if constexpr (Op::weighted)
        return __bfloat162float(w[column]);
    else
        return 0;
}
// Loads the weights of the eight columns from 8 i on for an Op that has weights; else zeros,
// without a load.
template<class Op>
__device__ Float8 weights(const bf16* w, unsigned i)
{
    if constexpr (Op::weighted)
        return unpack_bf16x8(reinterpret_cast<const uint4*>(w)[i]);
    else
        return {};
}

// Computes eight adjacent results from elements, weights and factors, and stores them at once.
template<class Op>
__device__ void store_results(typename Op::Out* to, Float8 v, const Float8& weights, float2 factors)
{
    for (int k = 0; k < 8; ++k)
        v.x[k] = Op::result(v.x[k], weights.x[k], factors);
    store8(to, v);
}
