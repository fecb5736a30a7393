// The kernel row_per_group() with L2 cache policies: keep the table, not the results.
#pragma once

// From chapter 27: EvictLast, a pointer whose loads ask the L2 to evict their lines last.
#include "../27_cache_hints/hints.cuh"
#include "moves.cuh"

//! [hints]
#ifdef __CUDACC__
// A pointer whose stores ask the L2 to evict their lines first.
using ResultVectors = cuda::annotated_ptr<uint4, cuda::access_property::streaming>;
#else // the CPU device does not simulate cache policies
using ResultVectors = uint4*;
#endif

// row_per_group() with these policies, because some rows are read more than once.
template<class From, class To>
__global__ void row_per_group_hinted(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                                     unsigned width, unsigned group)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / group;
    if (r >= rows) {
        return;
    }
    copy_row(EvictLast<uint4>(a + from(r) * width), ResultVectors(c + to(r) * width), width,
             threadIdx.x % group, group);
}
//! [hints]
