// 31.1: Warp-aggregated atomics
//
// Keep the words whose highest bit is 0: store them in c, in any order, and their number in
// count[0]. Each thread that keeps its word draws its index from count[0], so the counter takes one
// serialized access per kept word. Let one lane draw for its whole warp.

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
