// claim_turnover: What makes a larger block keep its slot longer, and a block on a full SM?
//
// The copy of chapter 23 by blocks of one warp to 32, alone on an SM and on a full SM.
// Next to it blocks that only load, only store, or do neither: if the one or the other takes the
// time, it has to be gone with it. Then blocks that store first what does not wait for the load,
// and blocks that load or store by turns: if it is a store behind a load that takes the time, it
// has to be gone there, and if it is reads and writes in one memory, it stays.

#include "common/chapter.hpp"

enum Does
{
    neither,
    loads,
    stores,
    both,
    store_first,
    by_turns // blocks with even numbers load, the others store
};

constexpr const char* names[] = {"neither", "loads", "stores", "both", "store first", "by turns"};
constexpr unsigned rare = 1u << 16;

// Of the words that a thread only loads, one of so many is stored: what nobody could look at would
// not be loaded.
template<Does does>
__global__ void copy_words([[maybe_unused]] const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const auto number = static_cast<unsigned>(i);
    if (does == both) {
        c[i] = a[i];
    } else if (does == stores || (does == by_turns && blockIdx.x % 2 == 1)) {
        c[i] = number;
    } else {
        if (does == store_first) {
            c[i] = number;
        }
        const unsigned x = does == neither ? number : a[i];
        if (x % rare == 0) {
            c[i] = x;
        }
    }
}

// What word i has to be, if the input has x there.
std::uint32_t expected(Does does, std::size_t i, std::uint32_t x, unsigned threads)
{
    const auto number = static_cast<std::uint32_t>(i);
    if (does == both) {
        return x;
    }
    if (does == stores || (does == by_turns && i / threads % 2 == 1)) {
        return number;
    }
    const std::uint32_t seen = does == neither ? number : x;
    return seen % rare == 0 ? seen : does == store_first ? number : 0xffffffff; // the poison
}

template<Does does>
void run(common::Chapter& chapter, common::Words& p, unsigned threads, bool alone)
{
    const unsigned blocks = common::blocks(p.n, threads);
    std::size_t shared = 0;
    const auto setup = [&] {
        const unsigned accesses = does == neither ? 0 : does == both || does == store_first ? 2 : 1;
        p.moved = accesses * p.n * sizeof(unsigned);
        p.done = blocks;
        p.expect(p.n, [&p, threads](std::size_t first, std::size_t count, void* out) {
            auto* words = static_cast<std::uint32_t*>(out);
            p.input(first, count, words);
            for (std::size_t k = 0; k < count; ++k) {
                words[k] = expected(does, first + k, words[k], threads);
            }
        });
        // With all the shared memory that a block can have, one is alone on its SM.
        shared = alone ? common::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) : 0;
        CHECK_CUDA(cudaFuncSetAttribute(copy_words<does>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)));
    };
    const auto warps = [&] {
        return common::resident_blocks(copy_words<does>, threads, shared) * threads / 32;
    };
    chapter.run({.name = alone ? "copy_one_per_sm" : "copy_full",
                 .threads = threads,
                 .columns = {{"does", names[does]}, {"warps", warps}},
                 .setup = setup},
                p, [&](cudaStream_t stream) {
                    copy_words<does><<<blocks, threads, shared, stream>>>(p.a, p.c, p.n);
                });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Words p(chapter, "turn over", n, n);
        for (bool alone : {true, false}) {
            for (unsigned threads : {32u, 64u, 256u, 512u, 1024u}) {
                if (!alone && threads < 256) {
                    continue; // their launch takes longer than they live, whatever they do
                }
                run<neither>(chapter, p, threads, alone);
                run<loads>(chapter, p, threads, alone);
                run<stores>(chapter, p, threads, alone);
                run<both>(chapter, p, threads, alone);
                run<store_first>(chapter, p, threads, alone);
                run<by_turns>(chapter, p, threads, alone);
            }
        }
    }
    return chapter.finish();
}
