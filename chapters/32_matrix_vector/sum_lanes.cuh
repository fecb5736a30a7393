// How lanes and blocks put a sum together.
#pragma once

//! [operations]
// The sum over `lanes` neighbours of a warp, in each of them; or over a block of so many threads,
// in the first of them.
template<unsigned lanes>
__device__ float sum_lanes(float sum)
{
    for (unsigned k = (lanes < 32 ? lanes : 32) / 2; k > 0; k /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, k);
    }
    if constexpr (lanes > 32) {
        __shared__ float warps[lanes / 32];
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        for (unsigned k = 1; threadIdx.x == 0 && k < lanes / 32; ++k) {
            sum += warps[k];
        }
    }
    return sum;
}

// Stores a sum that is complete, and adds a part of one to c, which is 0 at first.
__device__ inline void store_or_atomic_add(float* c, float sum, bool complete)
{
    if (complete) {
        *c = sum;
    } else {
        atomicAdd(c, sum);
    }
}
//! [operations]
