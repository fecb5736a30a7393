// 31.1: Warp-aggregated atomics
//
// Words whose highest bit is 0 are kept: they are to stand in c, in any order, and count[0] is to
// be how many they are. Each thread that keeps its word takes a ticket for it, so that there are as
// many serialized accesses at the counter as there are words kept. Let one lane draw for all of its
// warp.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void select(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = i < n ? a[i] : ~0U;
    const bool keep = x >> 31 == 0;
    if (keep) {
        c[atomicAdd(count, 1)] = x;
    }
}

// Called with n words in device memory, and space for so many in c; count[0] is 0.
void solve(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    select<<<blocks, threads>>>(a, c, count, n);
}
