// 22_bytes_in_flight: How many bytes in flight saturate DRAM?
//
// A load takes hundreds of nanoseconds, whatever its width: bandwidth is bytes in flight over
// latency. Each row sets the bytes in flight by its width, loads per thread and warps. read.cuh has
// the kernel, words_expected.hpp the reference result.

#include "read.cuh"
#include "words_expected.hpp"

#include <algorithm>
#include <string>
#include <vector>

//! [rows]
struct Read
{
    void (*kernel)(const void*, unsigned*, std::size_t);
    unsigned width; // bytes
    unsigned loads;
    std::vector<unsigned> resident; // blocks on each SM
};

const Read reads[] = {{read<unsigned, 1>, 4, 1, {1, 2, 4, 8}},
                      {read<unsigned, 2>, 4, 2, {1, 8}},
                      {read<unsigned, 4>, 4, 4, {1, 8}},
                      {read<unsigned, 8>, 4, 8, {1, 8}},
                      {read<unsigned char, 1>, 1, 1, {8}},
                      {read<unsigned char, 8>, 1, 8, {8}},
                      {read<unsigned short, 1>, 2, 1, {8}},
                      {read<uint2, 1>, 8, 1, {8}},
                      {read<uint4, 1>, 16, 1, {1, 2, 3, 4, 5, 6, 7, 8}},
                      {read<uint4, 4>, 16, 4, {1, 2, 4, 8}}};

// Launches only blocks that are resident from start to end. The grid size alone sets the occupancy:
// unused shared memory would too, but would shrink the L1, which holds the bytes in flight.
void run_read(common::Chapter& chapter, common::Words& p, const Read& r, unsigned resident)
{
    const std::size_t n = p.n * sizeof(unsigned) / r.width;
    const unsigned warps = resident * threads / 32;
    unsigned grid = 0;
    const auto setup = [&] {
        const unsigned all = resident * common::attribute(cudaDevAttrMultiProcessorCount);
        grid = std::clamp(common::blocks(n, threads * r.loads), 1u, all);
        p.expect(std::size_t{grid} * threads, words_read(p, grid, threads, r.loads, r.width));
    };
    const auto missing = [&] {
        return common::resident_blocks(r.kernel, threads) < resident
                   ? "needs space for " + std::to_string(warps) + " warps on an SM"
                   : "";
    };
    const bool narrow = r.width < 4;
    const bool between = r.width == 4 && (r.loads == 2 || r.loads == 4);
    chapter.run({.name = "read",
                 .threads = threads,
                 .columns = {{"width", r.width},
                             {"loads", r.loads},
                             {"warps", warps},
                             {"in_flight", warps * 32 * r.loads * r.width}},
                 .unavailable = missing,
                 .full_only = narrow || between || (resident != 1 && resident != 8),
                 .setup = setup},
                p,
                [&](cudaStream_t stream) { r.kernel<<<grid, threads, 0, stream>>>(p.a, p.c, n); });
}

void run_reads(common::Chapter& chapter)
{
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Words p(chapter, "read", n, n);
        p.moved = n * sizeof(unsigned);
        for (const Read& r : reads) {
            for (unsigned resident : r.resident) {
                run_read(chapter, p, r, resident);
            }
        }
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_reads(chapter);
    return chapter.finish();
}
