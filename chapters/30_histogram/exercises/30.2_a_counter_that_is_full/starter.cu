// 30.2: Overflow of packed counters
//
// A histogram of bytes. To save shared memory, a block packs four 8-bit counters into each word. A
// block counts 4096 bytes; if more than 255 of them are equal, their counter overflows into the
// next one. Find a solution that is correct for all bytes, with blocks as large as now.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned bins = 256;
constexpr unsigned threads = 256;
constexpr unsigned per_thread = 16;
constexpr unsigned per_word = 4; // counters
constexpr unsigned bits = 32 / per_word;

__global__ void histogram(const unsigned char* a, unsigned* c, std::size_t n)
{
    __shared__ unsigned words[bins / per_word];
    if (threadIdx.x < bins / per_word) {
        words[threadIdx.x] = 0;
    }
    __syncthreads();
    const std::size_t first = std::size_t{blockIdx.x} * threads * per_thread + threadIdx.x;
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k * threads;
        if (i < n) {
            atomicAdd(&words[a[i] / per_word], 1u << a[i] % per_word * bits);
        }
    }
    __syncthreads();
    const unsigned x = threadIdx.x;
    atomicAdd(&c[x], words[x / per_word] >> x % per_word * bits & ((1u << bits) - 1));
}

// Called with n bytes in device memory; c has 256 counters, of any value.
void solve(const unsigned char* a, unsigned* c, std::size_t n)
{
    const unsigned per_block = threads * per_thread;
    cudaMemsetAsync(c, 0, bins * sizeof *c);
    histogram<<<static_cast<unsigned>((n + per_block - 1) / per_block), threads>>>(a, c, n);
}
