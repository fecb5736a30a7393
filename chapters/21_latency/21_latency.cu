// 21_latency: What is the latency of each memory level?
//
// One thread chases pointers through a table of cache lines: each load returns the address of the
// next, so that no two overlap. The time per hop is the latency of the memory that holds the table.
//
// lines.cuh         the table, and the order of its lines
// chase.cuh         the pointer chase
// chase_shared.cuh  the same in shared memory

#include "chase.cuh"
#include "chase_shared.cuh"

#include <algorithm>
#include <bit>

//! [chase_rows]
constexpr unsigned chase_block = 1024;

// Returns the line that the chase has reached after `hops` hops.
unsigned arrival(unsigned lines, bool random, std::size_t hops)
{
    unsigned i = 0;
    for (std::size_t hop = 0; hop < hops; ++hop) {
        i = next_line(i, lines, random);
    }
    return i;
}

// Chases through a table of n words, rounded down to a power of two of lines.
void run_chase(common::Chapter& chapter, std::size_t n, bool random, unsigned hops)
{
    const std::size_t max_lines = n * sizeof(unsigned) / sizeof(Line);
    const auto lines = static_cast<unsigned>(std::bit_floor(std::max<std::size_t>(max_lines, 1)));
    common::Words p(chapter, "chase", n);
    p.done = hops;
    unsigned touched = 0;
    common::Buffer<Line> table;
    const auto setup = [&] {
        table = common::Buffer<Line>(lines);
        link<<<common::blocks(lines, chase_block), chase_block>>>(table.data(), lines, random);
        touched = table.bytes() <= common::attribute(cudaDevAttrL2CacheSize) ? lines : 0;
        p.expect_words(1 + chase_block, [=](std::size_t k) {
            unsigned x = k == 0 ? arrival(lines, random, hops) : 0;
            for (std::size_t i = k - 1; i < touched; i += chase_block) {
                x ^= next_line(static_cast<unsigned>(i), lines, random);
            }
            return x;
        });
    };
    chapter.run(
        {.name = "chase",
         .threads = chase_block,
         .columns = {{"table", lines * sizeof(Line)}, {"order", random ? "random" : "ascending"}},
         .full_only = !random,
         .setup = setup},
        p, [&](cudaStream_t stream) {
            chase<<<1, chase_block, 0, stream>>>(table.data(), p.c, touched, hops);
        });
}

void run_chases(common::Chapter& chapter)
{
    // So many hops that the time to read the lines into the caches does not count.
    const std::size_t longest = 1u << 17;
    const auto hops = static_cast<unsigned>(
        std::min(chapter.sizes({.gpu = {longest}, .cpu = {1u << 10}}).front(), longest));
    const common::Sizes sizes{
        .gpu = {1u << 12, 1u << 15, 1u << 18, 1u << 21, 1u << 23, 1u << 25, 1u << 28},
        .cpu = {1u << 12, 1u << 15},
        .default_sizes = {1u << 12, 1u << 21, 1u << 28},
        .bytes_per_element = sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_chase(chapter, n, true, hops);
        // On a GPU, at the largest size alone.
        if (n == 1u << 28 && common::backend() == common::Backend::gpu) {
            run_chase(chapter, n, false, hops);
        }
    }
    common::Words p(chapter, "chase", slots);
    p.done = hops;
    p.expect_words(1, [=](std::size_t) { return arrival(slots, true, hops); });
    chapter.run(
        {.name = "chase_shared",
         .threads = chase_block,
         .columns = {{"table", slots * sizeof(unsigned)}}},
        p, [&](cudaStream_t stream) { chase_shared<<<1, chase_block, 0, stream>>>(p.c, hops); });
}
//! [chase_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_chases(chapter);
    return chapter.finish();
}
