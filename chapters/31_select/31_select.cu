// 31_select: How fast can a GPU filter an array?
//
// An atomic counter gives kept elements indices in any order; a scan keeps their order.
//
// keep.cuh       which words are kept, and how a warp counts and writes them
// any_order.cuh  indices from an atomic counter; the other .cuh: from a scan as in chapter 29
// selection.hpp  the array, the reference, and verification in either order

#include "any_order.cuh"
#include "look_back.cuh"
#include "ring.cuh"
#include "selection.hpp"
#include "three_kernels.cuh"

//! [rows]
// Each block has a tile, in which each thread has `words` words.
common::Variant row(const char* name, unsigned threads, unsigned words, Selection& p)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"bytes_per_thread", words * sizeof(unsigned)}, {"kept", p.kept_name()}},
            .model_excluded_reason = "its stores depend on which words are kept",
            .full_only = p.kept() != KeepPattern::random_half};
}

template<unsigned words, class Kernel>
void run_any_order(common::Chapter& chapter, Selection& p, const char* name, Kernel kernel)
{
    const unsigned tiles = common::blocks(p.n, 256 * words);
    common::Variant variant = row(name, 256, words, p);
    variant.task = "select in any order";
    variant.sequential_blocks = true; // indices depend on which block is first
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.count, 0, sizeof *p.count, stream));
        kernel<<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n);
    });
}

template<unsigned words>
void run_three_kernels(common::Chapter& chapter, Selection& p)
{
    const unsigned tiles = common::blocks(p.n, 256 * words);
    common::Buffer<unsigned> sums; // one per tile
    common::Variant variant = row("three_kernels", 256, words, p);
    variant.setup = [&] { sums = common::Buffer<unsigned>(tiles); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        count_tiles<words><<<tiles, 256, 0, stream>>>(p.a, sums.data(), p.n);
        scan_sums<<<1, 512, 0, stream>>>(sums.data(), tiles);
        write_tiles<words><<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n, sums.data());
    });
}

template<unsigned words>
void run_look_back(common::Chapter& chapter, Selection& p)
{
    const unsigned tiles = common::blocks(p.n, 256 * words);
    common::Buffer<unsigned long long> states; // a counter of tiles, and a state per tile
    common::Variant variant = row("look_back", 256, words, p);
    variant.sequential_blocks = true;
    variant.setup = [&] { states = common::Buffer<unsigned long long>(tiles + 1); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        look_back<words><<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n, states.data());
    });
}

template<unsigned threads, unsigned words, unsigned stages>
void run_ring(common::Chapter& chapter, Selection& p)
{
    constexpr std::size_t shared_bytes = stages * threads * words * sizeof(unsigned);
    const auto kernel = ring<threads, words, stages>;
    const unsigned tiles = common::blocks(p.n, threads * words);
    unsigned grid = 0; // all of its blocks have to be resident: they wait for each other
    common::Buffer<unsigned long long> states; // one per tile
    common::Variant variant = row("ring_ahead", threads, words, p);
    variant.unavailable = common::needs_compute_capability(9, shared_bytes);
    variant.setup = [&] {
        grid = std::min(tiles, common::persistent_grid_blocks(kernel, threads, shared_bytes));
        states = common::Buffer<unsigned long long>(tiles);
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        kernel<<<grid, threads, shared_bytes, stream>>>(p.a, p.c, p.count, p.n, states.data());
    });
}

void run_library(common::Chapter& chapter, Selection& p)
{
    common::Variant variant = row("cub::DeviceSelect::If", 0, 0, p);
    variant.columns.erase(variant.columns.begin()); // the bytes per thread are CUB's own
    common::run_with_scratch(chapter, p, variant,
                             [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                 common::cub_select(scratch, bytes, p.a, p.c, p.count, p.n, stream);
                             });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 18},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        for (const KeepPattern kept : {KeepPattern::random_half, KeepPattern::all,
                                       KeepPattern::none, KeepPattern::first_half}) {
            Selection p(chapter, n, kept);
            p.expect(KeptOrder::any);
            run_any_order<1>(chapter, p, "atomic", atomic);
            run_any_order<1>(chapter, p, "warp_aggregated", warp_aggregated<1>);
            run_any_order<16>(chapter, p, "warp_aggregated", warp_aggregated<16>);
            p.expect(KeptOrder::of_input);
            run_three_kernels<16>(chapter, p);
            run_look_back<32>(chapter, p);
            run_ring<1024, 16, 3>(chapter, p);
            run_library(chapter, p);
        }
    }
    return chapter.finish();
}
