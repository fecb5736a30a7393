// 05.1: Vectorize with float4
//
// c[i] = 3 a[i] - b[i], one float per thread. Let each load and store take four floats, so that one
// request does the work of four. n may be any number: compute the one to three elements behind
// the last four, too, once, and touch nothing past the end.

#include <cstddef>

__global__ void combine(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = 3 * a[i] - b[i];
    }
}

// Called with arrays in device memory that begin at multiples of 16 bytes, of any n up to 2^31.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    combine<<<blocks, threads>>>(a, b, c, n);
}
