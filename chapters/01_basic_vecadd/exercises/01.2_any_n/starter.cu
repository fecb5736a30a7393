// 01.2: Bounds check for any n
//
// This kernel was written for 1024 elements, and for those it is right. Make it right for any
// number: for fewer elements than a block has threads, and for no multiple of that. It stays one
// launch, without blocks that have nothing to add, and each element is added once.

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
