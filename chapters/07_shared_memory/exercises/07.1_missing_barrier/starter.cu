// 07.1: Missing barrier
//
// Reverse every 256 elements; reverse those left at the end among themselves, too. Each block
// stages its part in shared memory, where any order is free. The kernel compiles, looks correct,
// and may even pass on some GPU on some day. Find what is missing.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void turn(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t start = std::size_t{blockIdx.x} * threads;
    const std::size_t count = n - start < threads ? n - start : threads;
    if (threadIdx.x < count) {
        tile[threadIdx.x] = a[start + threadIdx.x];
    }
    if (threadIdx.x < count) {
        c[start + threadIdx.x] = tile[count - 1 - threadIdx.x];
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    turn<<<blocks, threads>>>(a, c, n);
}
