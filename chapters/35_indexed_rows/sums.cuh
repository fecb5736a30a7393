// Kernels that add rows by index: with atomics, or as a segmented sum over lists of rows.
#pragma once

#include <cstddef>

//! [atomic_add_rows]
// Adds row r of a to row index[r] of c, as the gradient of a look-up does. Rows have `width`
// floats. Launch: one thread per float.
__global__ void atomic_add_rows(const unsigned* index, const float* a, float* c, std::size_t rows,
                                unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        atomicAdd(&c[std::size_t{index[r]} * width + i % width], a[i]);
    }
}
//! [atomic_add_rows]

//! [segment_sum]
// As atomic_add_rows, without atomics: one warp per row v of c sums the rows of a whose index is v.
// Their numbers are members[begin[v]] to members[begin[v + 1] - 1]. Rows have `width` float4s.
__global__ void segment_sum(const unsigned* begin, const unsigned* members, const float4* a,
                            float4* c, std::size_t rows, unsigned width)
{
    const std::size_t v = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (v >= rows) {
        return;
    }
    for (unsigned k = threadIdx.x % 32; k < width; k += 32) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (unsigned j = begin[v]; j < begin[v + 1]; ++j) {
            const float4 x = a[std::size_t{members[j]} * width + k];
            sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
        }
        c[v * width + k] = sum;
    }
}
//! [segment_sum]
