// 30.1: Add up copies without bank conflicts
//
// A histogram of bytes. Lane l of every warp counts in copy l of the counters, which lies in bank l
// of shared memory, so no two lanes of a warp access one bank. In the end each thread sums the 32
// copies of its counters. There the 32 lanes of a warp access one bank, in 32 wavefronts. Let them
// take one wavefront.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned bins = 256;
constexpr unsigned copies = 32;
constexpr unsigned threads = 256;

__global__ void histogram(const unsigned char* a, unsigned* c, std::size_t n)
{
    __shared__ unsigned counters[bins * copies];
    for (unsigned k = threadIdx.x; k < bins * copies; k += threads) {
        counters[k] = 0;
    }
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
        atomicAdd(&counters[a[i] * copies + threadIdx.x % 32], 1);
    }
    __syncthreads();
    const unsigned x = threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < copies; ++k) {
        sum += counters[x * copies + k];
    }
    atomicAdd(&c[x], sum);
}

// Called with n bytes in device memory; c has 256 counters, of any value.
void solve(const unsigned char* a, unsigned* c, std::size_t n, unsigned blocks)
{
    cudaMemsetAsync(c, 0, bins * sizeof *c);
    histogram<<<blocks, threads>>>(a, c, n);
}
