// Sums over lanes, over a block, and over blocks.
#pragma once

//! [operations]
// Returns the sum over `lanes` adjacent lanes of a warp to each of them; or, with more than 32
// lanes, the sum over a block of that many threads to its first thread. `lanes` is a power of two.
template<unsigned lanes>
__device__ float sum_lanes(float sum)
{
    for (unsigned offset = (lanes < 32 ? lanes : 32) / 2; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }
    if constexpr (lanes > 32) {
        __shared__ float warp_sums[lanes / 32];
        if (threadIdx.x % 32 == 0) {
            warp_sums[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        for (unsigned k = 1; threadIdx.x == 0 && k < lanes / 32; ++k) {
            sum += warp_sums[k];
        }
    }
    return sum;
}

// Stores a complete sum to *c, or adds a partial one to it by an atomic; then *c must be 0 at
// first.
__device__ inline void store_or_atomic_add(float* c, float sum, bool complete)
{
    if (complete) {
        *c = sum;
    } else {
        atomicAdd(c, sum);
    }
}
//! [operations]
