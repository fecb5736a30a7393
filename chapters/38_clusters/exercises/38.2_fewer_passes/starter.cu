// 38.2: Fewer passes with more shared memory
//
// Count how often each of 2^15 values occurs in the upper 15 bits of words. A block has 2^13
// counters in shared memory, so the words are read four times. Read them at most twice.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned values = 1 << 15;
constexpr unsigned partition = 1 << 13; // counters of a block: 32 KiB
constexpr unsigned threads = 1024;

__global__ void histogram(const unsigned* a, unsigned* c, std::size_t n, unsigned first)
{
    extern __shared__ unsigned counters[];
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        counters[k] = 0;
    }
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
        const unsigned counter = (a[i] >> 17) - first;
        if (counter < partition) {
            atomicAdd(&counters[counter], 1);
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        atomicAdd(&c[first + k], counters[k]);
    }
}

// Called with n words in device memory; c has 2^15 counters, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks)
{
    cudaMemsetAsync(c, 0, values * sizeof *c);
    for (unsigned first = 0; first < values; first += partition) {
        histogram<<<blocks, threads, partition * sizeof *c>>>(a, c, n, first);
    }
}
