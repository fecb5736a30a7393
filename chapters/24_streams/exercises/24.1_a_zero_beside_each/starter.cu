// 24.1: Write whole sectors
//
// A Fourier transform needs complex numbers, but the signal a is real: c[2 i] is a[i], and c[2 i +
// 1] is 0. This program clears c, and then a kernel stores every second float. Each of its stores
// writes only half of every sector, so memory must read the sector before it can write it. Let
// every store write whole sectors, and write c only once.

#include <cstddef>

__global__ void widen(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[2 * i] = a[i];
    }
}

// Called with n floats in a, at most 2^30, and 2 n in c, both in device memory, at multiples of 256
// bytes.
void solve(const float* a, float* c, std::size_t n)
{
    cudaMemsetAsync(c, 0, 2 * n * sizeof(float));
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    widen<<<blocks, threads>>>(a, c, n);
}
