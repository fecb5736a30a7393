// 07.1: Missing barrier
//
// Every 256 elements are to stand in c the other way round; those left at the end, too, among
// themselves. Each block stages its part in shared memory, where any order is free. It compiles, it
// looks right, and on some GPU on some day it may even pass. Find what is missing.

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
