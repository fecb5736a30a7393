// 25.1: Spread contended atomics
//
// A histogram: each word of a belongs to one of 64 counters, which begin at 0. Every thread adds 1
// to its counter in global memory, so millions of additions queue for eight sectors in one slice
// of the L2. Send the L2 at most one atomic sector per 16 words. Load each word once, and lose no
// addition.

#include <cstddef>

constexpr unsigned counters = 64;

__global__ void count(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&c[a[i] % counters], 1u);
    }
}

// Called with n words and 64 counters, all 0, in device memory.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    count<<<blocks, threads>>>(a, c, n);
}
