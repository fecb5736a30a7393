// claim_late_loads: Is it for late loads that large blocks are slower?
//
// The addition of chapter 02, whose blocks end: a slot stands empty until the last warp of the
// block is through. If that is the reason, persistent blocks must not mind how large they are, and
// must mind again as soon as a barrier makes their warps wait for the last one.

#include "common/chapter.hpp"

#include <algorithm>

__global__ void ends(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// As many threads as fit, each with one element in flight at a time, as above.
template<bool barrier>
__global__ void stays(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
    for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x; first < n; first += step) {
        const std::size_t i = first + threadIdx.x;
        if (i < n) {
            c[i] = a[i] + b[i];
        }
        if constexpr (barrier) {
            __syncthreads();
        }
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::VectorAdd p(chapter);
    const auto run = [&](const char* name, auto kernel, unsigned threads, bool staying) {
        unsigned grid = 0;
        const auto setup = [&] {
            grid = common::blocks(p.n, threads);
            if (staying) {
                grid = std::min(grid, common::persistent_grid_blocks(kernel, threads));
            }
        };
        chapter.run(
            {.name = name, .threads = threads, .setup = setup}, p,
            [&](cudaStream_t stream) { kernel<<<grid, threads, 0, stream>>>(p.a, p.b, p.c, p.n); });
    };
    for (unsigned threads : {128u, 256u, 512u, 1024u}) {
        run("ends", ends, threads, false);
        run("stays", stays<false>, threads, true);
        run("stays_barrier", stays<true>, threads, true);
    }
    return chapter.finish();
}
