// 34_narrow_types: What do narrower numbers save, and up to how much arithmetic?
//
// The same kernel on numbers of 32, 16 and 8 bits moves half and a quarter of the bytes. The
// arithmetic stays what it is, and conversions come on top of it: at some width they take longer.

#include "common/kernels.hpp"

using bf16 = __nv_bfloat16;
using fp8 = __nv_fp8_e4m3;

//! [element]
constexpr unsigned threads = 256;

// So many steps, each one multiplication and one addition.
template<unsigned steps>
__device__ float flip(float x, float factor, float term)
{
#pragma unroll
    for (unsigned k = 0; k < steps; ++k) {
        x = x * factor + term;
    }
    return x;
}

template<class T, unsigned steps>
__global__ void element(const T* a, T* c, std::size_t n, float factor, float term)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = common::narrow<T>(flip<steps>(common::widen(a[i]), factor, term));
    }
}
//! [element]

//! [sixteen_bytes]
template<class T, unsigned steps>
__global__ void sixteen_bytes(const T* a, T* c, std::size_t n, float factor, float term)
{
    constexpr unsigned count = 16 / sizeof(T);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / count) {
        uint4 words = reinterpret_cast<const uint4*>(a)[i];
        T v[count];
        memcpy(static_cast<void*>(v), &words, 16);
#pragma unroll
        for (unsigned k = 0; k < count; ++k) {
            v[k] = common::narrow<T>(flip<steps>(common::widen(v[k]), factor, term));
        }
        memcpy(static_cast<void*>(&words), v, 16);
        reinterpret_cast<uint4*>(c)[i] = words;
    }
    if (i < n % count) { // elements that are no 16 bytes
        const std::size_t last = n / count * count + i;
        c[last] = common::narrow<T>(flip<steps>(common::widen(a[last]), factor, term));
    }
}
//! [sixteen_bytes]

//! [pairs]
// Two at a time, in the type that they have: nothing is converted, and each step rounds.
template<unsigned steps>
__global__ void pairs(const bf16* a, bf16* c, std::size_t n, float factor, float term)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const __nv_bfloat162 factors = __float2bfloat162_rn(factor);
    const __nv_bfloat162 terms = __float2bfloat162_rn(term);
    if (i < n / 8) {
        uint4 words = reinterpret_cast<const uint4*>(a)[i];
        __nv_bfloat162 v[4];
        memcpy(static_cast<void*>(v), &words, 16);
        for (unsigned k = 0; k < 4; ++k) {
#pragma unroll
            for (unsigned step = 0; step < steps; ++step) {
                v[k] = common::fma_pair(v[k], factors, terms);
            }
        }
        memcpy(static_cast<void*>(&words), v, 16);
        reinterpret_cast<uint4*>(c)[i] = words;
    }
    if (i < n % 8) {
        const std::size_t last = n / 8 * 8 + i;
        c[last] = common::narrow<bf16>(flip<steps>(common::widen(a[last]), factor, term));
    }
}
//! [pairs]

//! [row_twice]
template<class T>
__global__ void row_twice(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const bf16* row = a + blockIdx.x * columns;
    float top = 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        top = fmaxf(top, fabsf(common::widen(row[k])));
    }
    top = common::largest_of_block(top);
    const float factor = top > 0 ? common::largest_number<T> / top : 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        c[blockIdx.x * columns + k] = common::narrow<T>(common::widen(row[k]) * factor);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = top / common::largest_number<T>;
    }
}
//! [row_twice]

//! [row_once]
// The row waits in registers: `loads` times 16 bytes a thread, for up to as many columns.
template<class T, unsigned loads>
__global__ void row_once(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const auto* row = reinterpret_cast<const uint4*>(a + blockIdx.x * columns);
    auto* out = reinterpret_cast<uint2*>(c + blockIdx.x * columns);
    uint4 words[loads] = {};
    bf16 v[8];
    float top = 0;
    for (unsigned j = 0; j < loads; ++j) {
        if (j * blockDim.x + threadIdx.x < columns / 8) {
            words[j] = row[j * blockDim.x + threadIdx.x];
        }
    }
    for (unsigned j = 0; j < loads; ++j) {
        memcpy(static_cast<void*>(v), &words[j], 16);
        for (unsigned k = 0; k < 8; ++k) {
            top = fmaxf(top, fabsf(common::widen(v[k])));
        }
    }
    top = common::largest_of_block(top);
    const float factor = top > 0 ? common::largest_number<T> / top : 0;
    for (unsigned j = 0; j < loads; ++j) {
        T narrow[8];
        memcpy(static_cast<void*>(v), &words[j], 16);
        for (unsigned k = 0; k < 8; ++k) {
            narrow[k] = common::narrow<T>(common::widen(v[k]) * factor);
        }
        if (j * blockDim.x + threadIdx.x < columns / 8) {
            memcpy(static_cast<void*>(&words[j]), narrow, 8);
            out[j * blockDim.x + threadIdx.x] = make_uint2(words[j].x, words[j].y);
        }
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = top / common::largest_number<T>;
    }
}
//! [row_once]

//! [rows]
template<class T>
void run_flips(common::Chapter& chapter, std::size_t n)
{
    common::Flips<T> p(chapter, n);
    const auto run = [&](const char* name, unsigned of_thread, unsigned steps, auto kernel) {
        chapter.run(common::flip_variant(p, name, steps), p, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, threads * of_thread), threads, 0, stream>>>(p.a, p.c, n,
                                                                                   -1.0F, 1.0F);
        });
    };
    constexpr unsigned count = 16 / sizeof(T);
    run("element", 1, 1, element<T, 1>);
    run("sixteen_bytes", count, 1, sixteen_bytes<T, 1>);
    run("sixteen_bytes", count, 4, sixteen_bytes<T, 4>);
    run("sixteen_bytes", count, 16, sixteen_bytes<T, 16>);
    run("sixteen_bytes", count, 64, sixteen_bytes<T, 64>);
    if constexpr (std::is_same_v<T, bf16>) {
        run("pairs", count, 1, pairs<1>);
        run("pairs", count, 16, pairs<16>);
        run("pairs", count, 64, pairs<64>);
    }
}

template<class T>
void run_rows(common::Chapter& chapter, std::size_t n)
{
    common::QuantisedRows<T> p(chapter, common::rows_to_quantise(n));
    const auto run = [&](const char* name, unsigned block, auto kernel) {
        chapter.run(common::quantise_variant(p, name, block), p, [&](cudaStream_t stream) {
            kernel<<<common::blocks(p.rows, 1), block, 0, stream>>>(p.a, p.c, p.scale, p.columns);
        });
    };
    run("row_twice", 256, row_twice<T>);
    run("row_once", 32 * common::blocks(p.columns, 32 * 4 * 8), row_once<T, 4>);
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = 2 * sizeof(float)})) {
        run_flips<float>(chapter, n);
        run_flips<bf16>(chapter, n);
        run_flips<fp8>(chapter, n);
        run_flips<signed char>(chapter, n);
        run_rows<fp8>(chapter, n);
        run_rows<signed char>(chapter, n);
    }
    return chapter.finish();
}
