// Reductions over a block: the sum, or the maximum.
#pragma once

// Reduces the values of `lanes` lanes, a power of two; each of them gets the result.
template<class Join>
__device__ float reduce_lanes(float x, unsigned lanes, Join combine)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffff, x, k));
    }
    return x;
}

// Reduces the values of a block's threads; each of them gets the result.
template<class Join>
__device__ float reduce_block(float x, Join combine)
{
    __shared__ float warps[32];
    x = reduce_lanes(x, 32, combine);
    __syncthreads(); // all have read the values of an earlier call
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = warps[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        x = combine(x, warps[warp]);
    }
    return x;
}
// The sum over a block.
__device__ inline float sum_of_block(float x)
{
    return reduce_block(x, [](float a, float b) { return a + b; });
}
// The largest of a block.
__device__ inline float max_of_block(float x)
{
    return reduce_block(x, [](float a, float b) { return fmaxf(a, b); });
}
