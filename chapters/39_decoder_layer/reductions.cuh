// Reductions over lanes by shuffles, and over a block through shared memory.
#pragma once

// Sums the values of `lanes` adjacent lanes, a power of two; each of them gets the result.
template<unsigned lanes>
__device__ float sum_lanes(float x)
{
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, offset);
    }
    return x;
}

// Reduces the values of a block's threads with combine(a, b); each of them gets the result.
template<class Combine>
__device__ float reduce_block(float x, Combine combine)
{
    __shared__ float warp_partials[32];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffff, x, offset));
    }
    __syncthreads(); // all have read the values of an earlier call
    if (threadIdx.x % 32 == 0) {
        warp_partials[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = warp_partials[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        x = combine(x, warp_partials[warp]);
    }
    return x;
}
// Returns the sum over a block, to every thread.
__device__ inline float block_sum(float x)
{
    return reduce_block(x, [](float a, float b) { return a + b; });
}
// Returns the maximum over a block, to every thread.
__device__ inline float block_max(float x)
{
    return reduce_block(x, [](float a, float b) { return fmaxf(a, b); });
}
