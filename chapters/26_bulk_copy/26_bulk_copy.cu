// 26_bulk_copy: When is the TMA faster than ordinary loads?
//
// float4 is within a percent of the best library kernel. The TMA (compute capability 9.0) copies
// kilobytes at a time: one thread issues the copy of a tile, which arrives in shared memory without
// passing through registers.
//
// add_float4.cuh  the kernel of chapter 05
// fetch.cuh       a tile that the TMA copies to shared memory
// add_bulk.cuh    the addition from such tiles
// copy_bulk.cuh   a copy through them

#include "add_bulk.cuh"
#include "copy_bulk.cuh"

// Arrays of 1 GiB and of 4 GiB.
template<class T>
common::Sizes sizes(std::size_t cpu, std::size_t arrays)
{
    constexpr std::size_t gib = (std::size_t{1} << 30) / sizeof(T);
    return {.gpu = {gib, 4 * gib},
            .cpu = {cpu},
            .default_sizes = {gib},
            .bytes_per_element = arrays * sizeof(T)};
}

//! [rows]
void run_add(common::Chapter& chapter, std::size_t n)
{
    common::VectorAdd problem(chapter, {.n = n});
    const auto run = [&](const common::Variant& row, auto kernel, std::size_t shared_bytes = 0) {
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, 4 * row.threads()), row.threads(), shared_bytes, stream>>>(
                problem.a, problem.b, problem.c, n);
        });
    };
    for (unsigned threads : {256u, 1024u}) {
        run({.name = "add_plain", .threads = threads}, add_float4);
    }
    // 8, 4, 3, 2 and 2 blocks per SM: 64, 64, 54, 60 and 64 KiB in flight per SM
    for (unsigned threads : {256u, 512u, 576u, 960u, 1024u}) {
        const std::size_t tile = threads * sizeof(float4);
        run({.name = "add_bulk",
             .threads = threads,
             .columns = {{"tile_bytes", tile}},
             .unavailable = common::needs_compute_capability(9)},
            add_bulk, 2 * tile);
    }
    common::run_add_libraries(chapter, problem);
}

// Copies elements of one size; without --full only elements of four bytes.
template<class Element>
void run_copy(common::Chapter& chapter)
{
    const bool full = sizeof(Element) != 4;
    for (std::size_t n : chapter.sizes(sizes<Element>(1 << 18, 2))) {
        common::Copy<Element> p(chapter, {.n = n});
        const unsigned tile = 256; // float4s
        const std::size_t bytes = tile * sizeof(float4);
        // 8, 10 and 16 blocks per SM: at most 32, 40 and 64 KiB in flight per SM
        for (unsigned threads : {256u, 192u, 128u}) {
            const common::Variant row{.name = "copy_bulk",
                                      .threads = threads,
                                      .columns = {{"unit", sizeof(Element)}, {"tile_bytes", bytes}},
                                      .unavailable = common::needs_compute_capability(9),
                                      .full_only = full};
            chapter.run(row, p, [&](cudaStream_t stream) {
                const unsigned blocks = common::blocks(n, bytes / sizeof(Element));
                copy_bulk<<<blocks, threads, bytes, stream>>>(p.a, p.c, n, tile);
            });
        }
        common::run_copy_libraries(chapter, p, {{"unit", sizeof(Element)}}, full);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(sizes<float>(1 << 20, 3))) {
        run_add(chapter, n);
    }
    run_copy<unsigned char>(chapter);
    run_copy<unsigned short>(chapter);
    run_copy<unsigned>(chapter);
    run_copy<uint2>(chapter);
    return chapter.finish();
}
