// 31.3: Partition: kept words first, the others last
//
// Partition the words of a: words whose highest bit is 0 come first in c, in order, as they do now.
// All others must follow, also in order, but no thread stores them yet. The counts for their
// positions are there: the words kept before each list, and in all.

#include <cuda_runtime.h>

#include <cstddef>

// Returns how many words of a block of 256 are kept before that of this thread; `total`: in all.
__device__ unsigned kept_before(bool keep, unsigned& total)
{
    __shared__ unsigned warps[8];
    const unsigned kept = __ballot_sync(0xffffffff, keep);
    warps[threadIdx.x / 32] = __popc(kept);
    __syncthreads();
    unsigned before = __popc(kept & ((1U << threadIdx.x % 32) - 1));
    total = 0;
    for (unsigned warp = 0; warp < 8; ++warp) {
        before += warp < threadIdx.x / 32 ? warps[warp] : 0;
        total += warps[warp];
    }
    return before;
}

__global__ void count_lists(const unsigned* a, unsigned* sums, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned total = 0;
    kept_before(i < n && a[i] >> 31 == 0, total);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
    }
}

// sums[k] becomes the sum of those before it, and sums[lists] that of all.
__global__ void add_up(unsigned* sums, unsigned lists)
{
    unsigned before = 0;
    for (unsigned k = 0; k < lists; ++k) {
        const unsigned sum = sums[k];
        sums[k] = before;
        before += sum;
    }
    sums[lists] = before;
}

__global__ void write(const unsigned* a, unsigned* c, const unsigned* sums, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = i < n ? a[i] : ~0U;
    const bool keep = x >> 31 == 0;
    unsigned total = 0;
    const unsigned before = sums[blockIdx.x] + kept_before(keep, total);
    if (keep) {
        c[before] = x;
    }
}

// Called with n words each in device memory; `sums` can hold a word of each list of 256, and
// for one more.
void solve(const unsigned* a, unsigned* c, unsigned* sums, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned lists = static_cast<unsigned>((n + threads - 1) / threads);
    count_lists<<<lists, threads>>>(a, sums, n);
    add_up<<<1, 1>>>(sums, lists);
    write<<<lists, threads>>>(a, c, sums, n);
}
