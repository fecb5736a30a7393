// 31.2: Rank of a lane in a ballot
//
// Pack each list of 32 words by itself: first the words whose highest bit is 0, in order, then a 0
// for each dropped word. The result is correct for some lists and wrong for most. Find the error.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void pack(const unsigned* a, unsigned* c, std::size_t lists)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i / 32 >= lists) {
        return;
    }
    const unsigned lane = threadIdx.x % 32;
    const unsigned x = a[i];
    const bool keep = x >> 31 == 0;
    const unsigned kept = __ballot_sync(0xffffffff, keep);
    const unsigned before = __popc(kept << (31 - lane)) - 1;
    const unsigned index = keep ? before : __popc(kept) + lane - before;
    c[i - lane + index] = keep ? x : 0;
}

// Called with 32 words of each list in device memory, and space for as many.
void solve(const unsigned* a, unsigned* c, std::size_t lists)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((32 * lists + threads - 1) / threads);
    pack<<<blocks, threads>>>(a, c, lists);
}
