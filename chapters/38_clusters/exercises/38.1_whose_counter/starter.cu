// 38.1: Find the owner of a distributed counter
//
// Count how often each of 2^16 values occurs in the upper 16 bits of words. The counters do not fit
// one block, so each block of a group holds a partition: block r has the counters from number r *
// partition on. All blocks of a group read the same words, and each must count only the values of
// its partition. Now each counts all of them. Complete counter_of(), which finds a counter.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned values = 1 << 16;
constexpr unsigned threads = 512;

// Which of the `partition` counters of block `rank` is that of x; `partition` if none is.
__device__ unsigned counter_of(unsigned x, unsigned rank, unsigned partition)
{
    return (x + rank) % partition;
}

__global__ void histogram(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks,
                          unsigned partition)
{
    extern __shared__ unsigned counters[];
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        counters[k] = 0;
    }
    __syncthreads();
    const unsigned rank = blockIdx.x % blocks, group = blockIdx.x / blocks;
    const std::size_t step = std::size_t{gridDim.x / blocks} * threads;
    for (std::size_t i = std::size_t{group} * threads + threadIdx.x; i < n; i += step) {
        const unsigned counter = counter_of(a[i] >> 16, rank, partition);
        if (counter < partition) {
            atomicAdd(&counters[counter], 1);
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < partition && rank * partition + k < values; k += threads) {
        atomicAdd(&c[rank * partition + k], counters[k]);
    }
}

// Called with n words in device memory; c has 2^16 counters, of any value. A group has `blocks`
// blocks: 6 or more, a power of two or not.
void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned groups, unsigned blocks)
{
    const unsigned partition = (values + blocks - 1) / blocks;
    cudaMemsetAsync(c, 0, values * sizeof *c);
    histogram<<<groups * blocks, threads, partition * sizeof *c>>>(a, c, n, blocks, partition);
}
