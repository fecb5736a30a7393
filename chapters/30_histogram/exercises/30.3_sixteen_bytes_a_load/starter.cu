// 30.3: Vectorized histogram
//
// A histogram of bytes, with the grid that the check requests, in blocks of 256 threads. Each load
// reads one byte. Let it read sixteen, so that the same number of loads keeps sixteen times as many
// bytes in flight. a begins at a multiple of 256 bytes; n is arbitrary.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned bins = 256;
constexpr unsigned threads = 256;

__global__ void histogram(const unsigned char* a, unsigned* c, std::size_t n)
{
    __shared__ unsigned counters[bins];
    counters[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
        atomicAdd(&counters[a[i]], 1);
    }
    __syncthreads();
    atomicAdd(&c[threadIdx.x], counters[threadIdx.x]);
}

// Called with n bytes in device memory; c has 256 counters, of any value.
void solve(const unsigned char* a, unsigned* c, std::size_t n, unsigned blocks)
{
    cudaMemsetAsync(c, 0, bins * sizeof *c);
    histogram<<<blocks, threads>>>(a, c, n);
}
