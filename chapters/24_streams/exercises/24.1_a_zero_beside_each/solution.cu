// 24.1: A zero beside each, a solution
//
// The zero is known, so it is stored with its neighbour, in one store of 8 bytes: 32 lanes fill
// eight sectors. The kernel stores twice as many bytes as before, and the memory moves a third for
// c: an array too large for the L2 was written, read and written again, and is now written once.

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
