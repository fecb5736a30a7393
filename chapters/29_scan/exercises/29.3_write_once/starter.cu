// 29.3: Write the scan once
//
// Replace each of n words by the sum of all words up to and including itself. The first kernel
// scans lists of 256 into c, the second scans the sums of the lists, and the third adds to each
// list the sum of the lists before. The result is correct, but c is written, read and written
// again. Write c only once.

#include <cuda_runtime.h>

#include <cstddef>

// The sum of x of all threads of a block of 256 up to this one.
__device__ unsigned scan_block(unsigned x)
{
    __shared__ unsigned sums[8];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        const unsigned y = __shfl_up_sync(0xffffffff, x, offset);
        x += threadIdx.x % 32 >= offset ? y : 0;
    }
    if (threadIdx.x % 32 == 31) {
        sums[threadIdx.x / 32] = x;
    }
    __syncthreads();
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) {
        x += sums[warp];
    }
    return x;
}

__global__ void scan_lists(const unsigned* a, unsigned* c, unsigned* sums, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = scan_block(i < n ? a[i] : 0);
    if (i < n) {
        c[i] = x;
    }
    if (threadIdx.x == blockDim.x - 1) {
        sums[blockIdx.x] = x;
    }
}

__global__ void scan_sums(unsigned* sums, unsigned lists)
{
    unsigned x = 0;
    for (unsigned k = 0; k < lists; ++k) {
        x += sums[k];
        sums[k] = x;
    }
}

__global__ void add_before(const unsigned* a, unsigned* c, const unsigned* sums, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        c[i] += sums[blockIdx.x - 1];
    }
}

// Called with n words each in device memory; `sums` can hold a word of each list of 256.
void solve(const unsigned* a, unsigned* c, unsigned* sums, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned lists = static_cast<unsigned>((n + threads - 1) / threads);
    scan_lists<<<lists, threads>>>(a, c, sums, n);
    scan_sums<<<1, 1>>>(sums, lists);
    add_before<<<lists, threads>>>(a, c, sums, n);
}
