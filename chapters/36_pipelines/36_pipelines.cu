// 36_pipelines: When does prefetching help?
//
// A thread of a persistent grid can request what comes next while it works on what it has: by loads
// into registers, by asynchronous copies into shared memory, by the bulk copy engine.

#include "async.cuh"
#include "registers.cuh"
#include "ring.cuh"

#include <algorithm>

//! [rows]
// One block of four warps per SM, or as many of eight as it can hold. A ring has
// one more warp, and tiles of 8 or 4 KiB. Each block has 16 steps, where n allows it.
void run(common::Chapter& chapter, common::VectorAdd& p, common::Variant row, auto kernel,
         unsigned ahead, unsigned arrays = 2, bool ring = false)
{
    for (const bool filled : {false, true}) {
        const unsigned threads = (filled ? 256 : 128) + (ring ? 32 : 0);
        const unsigned tile = ring ? (filled ? 256 : 512) : threads;
        const std::size_t bytes = arrays * ahead * tile * sizeof(float4);
        unsigned grid = 0;
        row.threads = threads;
        row.model_excluded_reason =
            ahead > 0 ? "it takes what is prefetched for what is waited for" : "";
        row.columns = {{"ahead", ahead}, {"filled", filled ? "yes" : "no"}};
        row.setup = [&] {
            grid =
                std::min(common::blocks(p.n, 64 * std::size_t{tile}),
                         common::persistent_grid_blocks(kernel, threads, bytes, filled ? ~0U : 1));
        };
        chapter.run(row, p, [&](cudaStream_t stream) {
            const auto* a = reinterpret_cast<const float4*>(p.a);
            const auto* b = reinterpret_cast<const float4*>(p.b);
            kernel<<<grid, threads, bytes, stream>>>(a, b, reinterpret_cast<float4*>(p.c), p.n,
                                                     tile);
        });
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = 3 * sizeof(float)})) {
        common::VectorAdd p(chapter, {.n = n});
        run(chapter, p, {.name = "registers"}, registers<0>, 0);
        run(chapter, p, {.name = "registers", .full = true}, registers<2>, 2, 0);
        run(chapter, p, {.name = "registers"}, registers<8>, 8, 0);
        run(chapter, p, {.name = "async", .full = true}, async<1>, 1);
        run(chapter, p, {.name = "async"}, async<4>, 4);
        run(chapter, p, {.name = "async"}, async<8>, 8);
        const auto missing = common::needs_compute_capability(9);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<4>, 4, 2, true);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<6>, 6, 2, true);
        common::run_add_libraries(chapter, p);
    }
    return chapter.finish();
}
