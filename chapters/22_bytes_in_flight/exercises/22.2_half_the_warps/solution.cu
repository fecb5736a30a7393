// 22.2: Half of the warps
//
// 32 KiB over 4 x 256 threads are 32 bytes a thread: eight floats. A round loads all eight before
// it stores the first. The loads of a round lie a block apart, so that lanes side by side touch
// elements side by side; what is left of n when no whole round fits goes one by one.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned loads = 8;

__global__ void twice(const float* a, float* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * threads * loads;
    std::size_t i = std::size_t{blockIdx.x} * threads * loads + threadIdx.x;
    for (; i + (loads - 1) * threads < n; i += step) {
        float v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = a[i + k * threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            c[i + k * threads] = 2 * v[k];
        }
    }
    for (unsigned k = 0; k < loads && i < n; ++k, i += threads) {
        c[i] = 2 * a[i];
    }
}

// Called with arrays in device memory, of any n; blocks of 256 threads.
void solve(const float* a, float* c, std::size_t n, unsigned blocks)
{
    twice<<<blocks, threads>>>(a, c, n);
}
