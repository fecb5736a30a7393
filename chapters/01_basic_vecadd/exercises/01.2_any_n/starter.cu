// 01.2: Bounds check for any n
//
// This kernel was written for 1024 elements and is correct for that number. Make it correct for
// every n, also if n is less than the block size or not a multiple of it. Use one launch, without
// blocks that have nothing to add, and add each element once.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

// Called with arrays in device memory, of any n from 1 up to 2^31.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>(n / threads);
    add<<<blocks, threads>>>(a, b, c);
}
