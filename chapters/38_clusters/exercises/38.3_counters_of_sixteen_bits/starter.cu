// 38.3: Pack counters into 16 bits
//
// With two counters per word, a block's shared memory holds twice as many: here 2^14, for the upper
// 14 bits of words. But only four blocks count all words, and if one of them finds more than 65,535
// equal values, their counter overflows into its neighbour. Let no counter overflow, with the same
// number of blocks and each word read once.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned values = 1 << 14;
constexpr unsigned threads = 512;

// Adds to c what the counters have, and clears those.
__device__ void send(unsigned* words, unsigned* c)
{
    for (unsigned k = threadIdx.x; k < values / 2; k += threads) {
        atomicAdd(&c[2 * k], words[k] & 0xffff);
        atomicAdd(&c[2 * k + 1], words[k] >> 16);
        words[k] = 0;
    }
}

__global__ void histogram(const unsigned* a, unsigned* c, std::size_t n)
{
    extern __shared__ unsigned words[];
    for (unsigned k = threadIdx.x; k < values / 2; k += threads) {
        words[k] = 0;
    }
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t first = std::size_t{blockIdx.x} * threads; first < n; first += step) {
        const std::size_t i = first + threadIdx.x;
        if (i < n) {
            const unsigned x = a[i] >> 18;
            atomicAdd(&words[x / 2], 1u << x % 2 * 16);
        }
    }
    __syncthreads();
    send(words, c);
}

// Called with n words in device memory; c has 2^14 counters, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    cudaMemsetAsync(c, 0, values * sizeof *c);
    histogram<<<4, threads, values / 2 * sizeof(unsigned)>>>(a, c, n);
}
