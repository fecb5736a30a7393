// 25.1: Sixty-four counters, a solution
//
// Each block has counters of its own in shared memory, where only its own threads queue, and adds
// them up at the end: eight sectors for each block, of eight counters each. With eight words a
// thread that is one sector for 256 words, where nearly every second word sent one before.

#include <cstddef>

constexpr unsigned counters = 64;
constexpr unsigned per_thread = 8;

__global__ void count(const unsigned* a, unsigned* c, std::size_t n)
{
    __shared__ unsigned own[counters];
    if (threadIdx.x < counters) {
        own[threadIdx.x] = 0;
    }
    __syncthreads(); // nobody counts before all counters are 0
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) {
            atomicAdd(&own[a[i] % counters], 1u);
        }
    }
    __syncthreads(); // all have counted
    if (threadIdx.x < counters) {
        atomicAdd(&c[threadIdx.x], own[threadIdx.x]);
    }
}

void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned per_block = threads * per_thread;
    const unsigned blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    count<<<blocks, threads>>>(a, c, n);
}
