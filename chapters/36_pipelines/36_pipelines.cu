// 36_pipelines: When does prefetching help?
//
// A thread of a persistent grid can request the next elements while it adds the current ones: by
// loads into registers, by asynchronous copies into shared memory, or by bulk copies (TMA).
//
// add4.cuh       the addition of float4s
// registers.cuh  prefetching into registers
// async.cuh      prefetching by cp.async
// ring.cuh       prefetching by the TMA, with a producer thread and consumer warps

#include "async.cuh"
#include "registers.cuh"
#include "ring.cuh"

#include <algorithm>

//! [rows]
// Runs a kernel with one block of four warps per SM, and with as many blocks of eight warps as are
// resident (`filled`). A ring has a producer warp in addition, and tiles of 8 or 4 KiB. Each block
// has at least 16 iterations if n allows it. Dynamic shared memory holds `prefetch_distance` tiles
// of each of `shared_arrays` arrays.
void run(common::Chapter& chapter, common::VectorAdd& p, common::Variant row, auto kernel,
         unsigned prefetch_distance, unsigned shared_arrays = 2, bool ring = false)
{
    for (const bool filled : {false, true}) {
        const unsigned threads = (filled ? 256 : 128) + (ring ? 32 : 0);
        const unsigned tile = ring ? (filled ? 256 : 512) : threads;
        const std::size_t shared_bytes = shared_arrays * prefetch_distance * tile * sizeof(float4);
        unsigned grid = 0;
        row.threads = threads;
        row.model_excluded_reason =
            prefetch_distance > 0 ? "it takes what is prefetched for what is waited for" : "";
        row.columns = {{"ahead", prefetch_distance}, {"filled", filled ? "yes" : "no"}};
        // persistent_grid_blocks() also raises the kernel's limit of dynamic shared memory; its
        // last argument is the most blocks per SM.
        row.setup = [&] {
            grid = std::min(
                common::blocks(p.n, 64 * std::size_t{tile}),
                common::persistent_grid_blocks(kernel, threads, shared_bytes, filled ? ~0U : 1));
        };
        chapter.run(row, p, [&](cudaStream_t stream) {
            const auto* a = reinterpret_cast<const float4*>(p.a);
            const auto* b = reinterpret_cast<const float4*>(p.b);
            kernel<<<grid, threads, shared_bytes, stream>>>(a, b, reinterpret_cast<float4*>(p.c),
                                                            p.n, tile);
        });
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 3 * sizeof(float)})) {
        common::VectorAdd p(chapter, {.n = n});
        run(chapter, p, {.name = "registers"}, registers<0>, 0);
        run(chapter, p, {.name = "registers", .full_only = true}, registers<2>, 2, 0);
        run(chapter, p, {.name = "registers"}, registers<8>, 8, 0);
        run(chapter, p, {.name = "async", .full_only = true}, async<1>, 1);
        run(chapter, p, {.name = "async"}, async<4>, 4);
        run(chapter, p, {.name = "async"}, async<8>, 8);
        const auto missing = common::needs_compute_capability(9);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<4>, 4, 2, true);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<6>, 6, 2, true);
        common::run_add_libraries(chapter, p);
    }
    return chapter.finish();
}
