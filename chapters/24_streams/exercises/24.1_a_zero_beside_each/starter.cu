// 24.1: Write whole sectors
//
// A Fourier transform wants complex numbers, and the signal a is real: c[2 i] is to be a[i], and
// c[2 i + 1] to be 0. So c is cleared first, and then a kernel stores every second float. Each of
// its stores leaves a half of every sector out, which the memory has to read before it can write
// the sector. Let no store leave a part of a sector out, and write c only once.

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
