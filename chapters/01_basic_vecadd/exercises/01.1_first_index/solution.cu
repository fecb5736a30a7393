// 01.1: The first index, a solution
//
// Block number blockIdx.x begins where the one before it ended: after blockIdx.x * blockDim.x
// elements. The product is made of 64-bit numbers, because an array may have more than 2^32 of
// them.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in device memory, of any n.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
}
