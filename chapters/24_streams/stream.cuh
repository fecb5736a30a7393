// Reads and writes in any mix.
#pragma once

#include "../22_bytes_in_flight/words_expected.hpp"

#include "common/chapter.hpp"

//! [stream]
__device__ uint4 operator^(uint4 x, uint4 y)
{
    return make_uint4(x.x ^ y.x, x.y ^ y.y, x.z ^ y.z, x.w ^ y.w);
}

// Returns a vector of four copies of the lower 32 bits of i.
__device__ uint4 splat(std::size_t i)
{
    const auto word = static_cast<unsigned>(i);
    return make_uint4(word, word, word, word);
}

// Writes the XOR of `reads` arrays of n vectors, contiguous in a, to `writes` arrays in c. Each row
// of blocks (blockIdx.y) is a pass over all of them; every pass writes the same values.
template<unsigned reads, unsigned writes>
__global__ void stream(const uint4* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    uint4 x = splat(reads == 0 ? i : 0);
    if (i < n) {
        for (unsigned k = 0; k != reads; ++k) {
            x = x ^ __ldcg(&a[k * n + i]); // so that no pass hits in L1 on another's lines
        }
        for (unsigned k = 0; k != writes; ++k) {
            reinterpret_cast<uint4*>(c)[k * n + i] = x ^ splat(k);
        }
    }
    if constexpr (writes == 0) { // one word per warp
        unsigned word = x.x ^ x.y ^ x.z ^ x.w;
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            word ^= __shfl_xor_sync(0xffffffff, word, lanes);
        }
        if (threadIdx.x % 32 == 0 && i < n) {
            c[i / 32] = word;
        }
    }
}
//! [stream]
