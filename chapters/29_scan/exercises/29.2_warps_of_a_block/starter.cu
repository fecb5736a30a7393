// 29.2: Block scan from warp scans
//
// The n words form lists of 256; the last list may be shorter. Replace each word by the sum of all
// words of its list up to and including itself. A block processes a list. Each warp scans 32 words,
// stores their sum in shared memory, and adds the sums of the warps before. The result is correct
// only if the warps happen to run in the order of their numbers. Find out what is missing.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void scan_lists(const unsigned* a, unsigned* c, std::size_t n)
{
    __shared__ unsigned sums[8];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned x = i < n ? a[i] : 0;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        const unsigned y = __shfl_up_sync(0xffffffff, x, offset);
        x += threadIdx.x % 32 >= offset ? y : 0;
    }
    if (threadIdx.x % 32 == 31) {
        sums[threadIdx.x / 32] = x;
    }
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) {
        x += sums[warp];
    }
    if (i < n) {
        c[i] = x;
    }
}

// Called with n words each in device memory.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    scan_lists<<<blocks, threads>>>(a, c, n);
}
