// 21_latency: How long does one load take, from each memory?
//
// One thread walks through a table of cache lines: each address is what the load before it has
// brought, so nothing overlaps. How long a hop takes says which memory the table lies in.

#include "common/chapter.hpp"

#include <algorithm>
#include <bit>

//! [lines]
// A cache line that says which comes next.
struct alignas(128) Line
{
    const Line* next;
};

// From line i of `lines`, a power of two, to the next one, or to one that seems chosen at random.
// Either way the walk comes to every line before it returns to the first (Hull and Dobell, 1962).
__host__ __device__ unsigned next_line(unsigned i, unsigned lines, bool random)
{
    return ((random ? 1664525u * i : i) + 1) % lines;
}

__global__ void link(Line* table, unsigned lines, bool random)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) {
        table[i].next = &table[next_line(i, lines, random)];
    }
}
//! [lines]

//! [chase]
// First the block reads `touched` lines, so that the caches hold them; then one thread walks.
// Written is where it arrived, and behind that what each thread has touched.
__global__ void chase(const Line* table, unsigned* c, unsigned touched, unsigned hops)
{
    unsigned x = 0;
    for (unsigned i = threadIdx.x; i < touched; i += blockDim.x) {
        x ^= static_cast<unsigned>(table[i].next - table);
    }
    c[1 + threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        const Line* line = table;
        for (unsigned hop = 0; hop < hops; ++hop) {
            line = line->next;
        }
        c[0] = static_cast<unsigned>(line - table);
    }
}
//! [chase]

//! [chase_shared]
constexpr unsigned slots = 4096;

// The same walk through words of shared memory.
__global__ void chase_shared(unsigned* c, unsigned hops)
{
    __shared__ unsigned table[slots];
    for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
        table[i] = next_line(i, slots, true);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned i = 0;
        for (unsigned hop = 0; hop < hops; ++hop) {
            i = table[i];
        }
        c[0] = i;
    }
}
//! [chase_shared]

//! [chase_rows]
constexpr unsigned chase_block = 1024;

// Where the walk is after so many hops.
unsigned arrival(unsigned lines, bool random, std::size_t hops)
{
    unsigned i = 0;
    for (std::size_t hop = 0; hop < hops; ++hop) {
        i = next_line(i, lines, random);
    }
    return i;
}

// Through n words, as many lines of them as the largest power of two has.
void run_chase(common::Chapter& chapter, std::size_t n, bool random, unsigned hops)
{
    const std::size_t most = n * sizeof(unsigned) / sizeof(Line);
    const auto lines = static_cast<unsigned>(std::bit_floor(std::max<std::size_t>(most, 1)));
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
         .full = !random,
         .setup = setup},
        p, [&](cudaStream_t stream) {
            chase<<<1, chase_block, 0, stream>>>(table.data(), p.c, touched, hops);
        });
}

void run_chases(common::Chapter& chapter)
{
    // Long enough that reading the lines before takes no time beside it.
    const std::size_t longest = 1u << 17;
    const auto hops = static_cast<unsigned>(
        std::min(chapter.sizes({.gpu = {longest}, .cpu = {1u << 10}}).front(), longest));
    const common::Sizes sizes{
        .gpu = {1u << 12, 1u << 15, 1u << 18, 1u << 21, 1u << 23, 1u << 25, 1u << 28},
        .cpu = {1u << 12, 1u << 15},
        .usual = {1u << 12, 1u << 21, 1u << 28},
        .bytes_per_element = sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_chase(chapter, n, true, hops);
        // A GPU's largest: the CPU device's rows are the same at the size of the reference.
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
