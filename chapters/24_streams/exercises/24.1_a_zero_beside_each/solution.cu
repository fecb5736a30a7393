// 24.1: A zero beside each, a solution
//
// The zero is known, so it is stored with its neighbour, in one store of 8 bytes: 32 lanes fill
// eight sectors. It stores twice as many bytes as the kernel before, and the memory moves a third:
// c is written once, instead of being written, read and written again.

#include <cstddef>

__global__ void widen(const float* a, float2* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = make_float2(a[i], 0);
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    widen<<<blocks, threads>>>(a, reinterpret_cast<float2*>(c), n);
}
