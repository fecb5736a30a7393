// 25_contention: What does serialized access cost?
//
// Lanes that want different words of one bank of shared memory are serialized, and so do threads
// that add to the same counter. How long is a serialized access?
//
// read_banks.cuh  lanes that access different words of one bank
// count.cuh       threads that add to one counter

#include "count.cuh"
#include "read_banks.cuh"

#include <algorithm>
#include <vector>

// Returns the sum of the words that a lane reads, batch after batch.
unsigned sum_of_lane(const common::Words& p, unsigned lane, unsigned degree, unsigned batches)
{
    std::vector<unsigned> tile(tile_words);
    p.input(0, tile_words, tile.data());
    unsigned sum = 0;
    for (unsigned r = 0; r < batches * batch; ++r) {
        const unsigned start = r / batch * batch * banks; // of the batch
        sum += tile[(lane * degree + start) % 1024 + r % batch * banks];
    }
    return sum;
}

//! [contention_rows]
constexpr unsigned contention_block = 256;

// n loads, by as many threads as there is space for.
void run_banks(common::Chapter& chapter, std::size_t n)
{
    common::Words p(chapter, "read banks", n, tile_words);
    for (unsigned degree = 1; degree <= banks; degree *= 2) {
        unsigned grid = 0;
        unsigned batches = 0;
        const auto setup = [&] {
            const std::size_t all = common::resident_blocks(read_banks, contention_block) *
                                    common::attribute(cudaDevAttrMultiProcessorCount);
            const std::size_t shares = std::max<std::size_t>(n / batch / contention_block, 1);
            grid = static_cast<unsigned>(std::min(shares, all));
            batches = static_cast<unsigned>(shares / grid);
            p.done = std::uint64_t{grid} * contention_block / 32 * batches * batch;
            std::vector<unsigned> sums;
            for (unsigned lane = 0; lane < 32; ++lane) {
                sums.push_back(sum_of_lane(p, lane, degree, batches));
            }
            p.expect_words(std::size_t{grid} * contention_block,
                           [sums](std::size_t thread) { return sums[thread % 32]; });
        };
        const common::Variant row{.name = "banks",
                                  .threads = contention_block,
                                  .columns = {{"degree", degree}},
                                  .full_only = degree > 1 && degree < banks,
                                  .setup = setup};
        chapter.run(row, p, [&](cudaStream_t queue) {
            read_banks<<<grid, contention_block, 0, queue>>>(p.a, p.c, degree, batches);
        });
    }
}

void run_counters(common::Chapter& chapter, std::size_t n, unsigned counters, bool random)
{
    common::Words p(chapter, "count", n);
    p.background = 0;
    p.done = n;
    std::vector<unsigned> hits;
    const auto run = [&](const char* name, bool full,
                         void (*kernel)(unsigned*, std::size_t, unsigned, bool, unsigned)) {
        const auto setup = [&] {
            hits.assign(counters, 0);
            for (std::size_t i = 0; i < n; ++i) {
                ++hits[counter_of(static_cast<unsigned>(i), counters, random)];
            }
            p.expect_words(counters, [&](std::size_t k) { return 2 * hits[k] * p.launches; });
        };
        const common::Variant row{
            .name = name,
            .threads = contention_block,
            .columns = {{"counters", counters}, {"order", random ? "random" : "ascending"}},
            .full_only = full,
            .setup = setup};
        chapter.run(row, p, [&](cudaStream_t queue) {
            ++p.launches;
            const unsigned grid = common::blocks(n, contention_block * additions);
            kernel<<<grid, contention_block, 0, queue>>>(p.c, n, counters, random, 1);
        });
    };
    run("atomic", random, count<false>);
    run("atomic_returns", true, count<true>);
}

void run_contention(common::Chapter& chapter)
{
    for (std::size_t n : chapter.sizes({.gpu = {std::size_t{1} << 32}, .cpu = {1u << 16}})) {
        run_banks(chapter, n);
    }
    for (std::size_t n : chapter.sizes({.gpu = {1u << 25}, .cpu = {1u << 14}})) {
        for (unsigned counters : {1u, 64u, 4096u, 1u << 20}) {
            for (bool random : {false, true}) {
                if (counters > 1 || !random) {
                    run_counters(chapter, n, counters, random);
                }
            }
        }
    }
}
//! [contention_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_contention(chapter);
    return chapter.finish();
}
