// 22.2: Keep bandwidth with half of the warps
//
// c[i] = 2 * a[i], with exactly the number of blocks that the check requests, of 256 threads each:
// on a GPU four per SM, half of the warps that fit. Each thread has one float in flight, stores
// it, and requests the next, which is too little. Let every warp load more before it stores, so
// that four blocks have 32 KiB in flight. The result must be right for every n; load and store
// each element once.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void twice(const float* a, float* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
        c[i] = 2 * a[i];
    }
}

// Called with arrays in device memory, of any n up to 2^31; blocks of 256 threads.
void solve(const float* a, float* c, std::size_t n, unsigned blocks)
{
    twice<<<blocks, threads>>>(a, c, n);
}
