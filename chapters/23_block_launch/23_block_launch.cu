// 23_block_launch: What is the overhead of a thread block?
//
// Measures how many blocks a GPU launches per second, and how long a block that loads and stores
// occupies its slot on an SM.

#include "common/chapter.hpp"

//! [launch]
// One store per block: the time is that of launching blocks.
__global__ void store_one_word(unsigned* c)
{
    if (threadIdx.x == 0) {
        c[blockIdx.x] = blockIdx.x;
    }
}
//! [launch]

//! [turnover]
// A phase of loads, then a phase of stores. A block's slot is free when its last warp has exited.
__global__ void copy_words(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}
//! [turnover]

//! [block_rows]
// Without --full, only rows of 64, 256 and 1024 threads run.
bool between(unsigned threads)
{
    return threads != 64 && threads != 256 && threads != 1024;
}

void run_launches(common::Chapter& chapter, std::size_t n)
{
    const unsigned blocks = common::blocks(n, 1024); // n is the threads of the largest
    common::Words p(chapter, "launch", n);
    p.expect_words(blocks, [](std::size_t i) { return static_cast<unsigned>(i); });
    p.done = blocks;
    for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
        chapter.run(
            {.name = "launch", .threads = threads, .full_only = between(threads)}, p,
            [&](cudaStream_t stream) { store_one_word<<<blocks, threads, 0, stream>>>(p.c); });
    }
}

// With the maximum of shared memory per block, only one block is resident per SM.
void run_turnover(common::Chapter& chapter, common::Words& p, unsigned threads, bool alone)
{
    const unsigned blocks = common::blocks(p.n, threads);
    p.done = blocks;
    std::size_t shared = 0;
    const auto setup = [&] {
        shared = alone ? common::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) : 0;
        CHECK_CUDA(cudaFuncSetAttribute(copy_words, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)));
    };
    const auto warps = [&] {
        return common::resident_blocks(copy_words, threads, shared) * threads / 32;
    };
    chapter.run({.name = alone ? "copy_one_per_sm" : "copy_full",
                 .threads = threads,
                 .columns = {{"warps", warps}},
                 .full_only = alone || between(threads),
                 .setup = setup},
                p, [&](cudaStream_t stream) {
                    copy_words<<<blocks, threads, shared, stream>>>(p.a, p.c, p.n);
                });
}

void run_blocks(common::Chapter& chapter)
{
    for (std::size_t n : chapter.sizes({.gpu = {std::size_t{1} << 32}, .cpu = {1u << 20}})) {
        run_launches(chapter, n);
    }
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Words p(chapter, "turn over", n, n);
        p.moved = 2 * n * sizeof(unsigned);
        p.expect(n, [&p](std::size_t first, std::size_t count, void* out) {
            p.input(first, count, static_cast<unsigned*>(out));
        });
        for (bool alone : {true, false}) {
            for (unsigned threads : {64u, 128u, 256u, 512u, 1024u}) {
                run_turnover(chapter, p, threads, alone);
            }
        }
    }
}
//! [block_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_blocks(chapter);
    return chapter.finish();
}
