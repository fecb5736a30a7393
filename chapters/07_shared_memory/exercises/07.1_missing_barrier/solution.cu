// 07.1: It looks right, a solution
//
// The slot that a thread reads was written by another thread, of another warp as a rule. Nothing
// but a barrier says that it has been written by then.

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
    __syncthreads(); // outside of the condition: every thread of the block has to get here
    if (threadIdx.x < count) {
        c[start + threadIdx.x] = tile[count - 1 - threadIdx.x];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    turn<<<blocks, threads>>>(a, c, n);
}
