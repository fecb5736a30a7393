// 29.2: Block scan from warp scans
//
// The n words are lists of 256, the last of which may be shorter. Each word of a list is to become
// the sum of all in its list up to it. A block has a list. Its warps scan 32 words each, leave
// their sums in shared memory, and add those of the warps before. It is right if the warps happen
// to come in the order of their numbers. Find what is missing.

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
