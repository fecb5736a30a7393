// 27.1: Map blocks to elements in a given order
//
// Consecutive blocks of a copy alternate between sixteen parts of its arrays: blocks 0 to 15 take
// the first block of each part, the next sixteen the second. To measure the cost of this order,
// the kernel must copy each element once. It does so only if the number of blocks is a multiple of
// sixteen. Make place_of() right for every number, and launch no more blocks than the elements
// need. The blocks left over after the last sixteen may go anywhere.

#include <cstddef>

constexpr unsigned parts = 16;

// Which block of elements, of so many, the block with that turn takes.
__host__ __device__ unsigned place_of(unsigned turn, unsigned blocks)
{
    return turn % parts * (blocks / parts) + turn / parts;
}

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t place = place_of(blockIdx.x, gridDim.x);
    const std::size_t i = place * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}
