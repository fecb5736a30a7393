// The second lesson of chapter 17: what a block costs that does almost nothing, and how long the
// place of one is taken that loads and stores.
#pragma once

#include "words.hpp"

//! [launch]
// One store a block: how fast can blocks be launched?
__global__ void sign_in(unsigned* c)
{
    if (threadIdx.x == 0) {
        c[blockIdx.x] = blockIdx.x;
    }
}
//! [launch]

//! [turnover]
// A phase of loads, then a phase of stores. A block leaves when its last warp does, and then
// another takes its place.
__global__ void turn_over(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// So much shared memory that a multiprocessor has room for one block alone.
std::size_t room_for_one()
{
    return common::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}
//! [turnover]

//! [block_rows]
void run_blocks(common::Chapter& chapter)
{
    for (std::size_t n : chapter.sizes({std::size_t{1} << 32}, {1u << 20})) {
        const unsigned blocks = common::blocks(n, 1024); // of any size: n is the most threads
        common::Words p(chapter, "launch blocks", n);
        p.expect_words(blocks, 0, [](std::size_t i) { return static_cast<unsigned>(i); });
        for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
            chapter.run({"launch", threads, {{"blocks", blocks}}}, p,
                        [&](cudaStream_t stream) { sign_in<<<blocks, threads, 0, stream>>>(p.c); });
        }
    }
    for (std::size_t n : chapter.sizes({1u << 28}, {1u << 16}, 2 * sizeof(unsigned))) {
        common::Words p(chapter, "turn over", n, n);
        p.expect(n, 2 * n * sizeof(unsigned),
                 [&p](std::size_t first, std::size_t count, void* out) {
                     p.input(first, count, static_cast<unsigned*>(out));
                 });
        const auto run = [&](unsigned threads, bool alone) {
            const std::size_t blocks = common::blocks(n, threads);
            std::size_t shared = 0;
            const auto resident = [&, threads] {
                return common::resident_blocks(turn_over, threads, shared);
            };
            common::Work work;
            work.setup = [&] {
                shared = alone ? room_for_one() : 0;
                CHECK_CUDA(cudaFuncSetAttribute(turn_over,
                                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(shared)));
            };
            work.work = [&](cudaStream_t stream) {
                turn_over<<<common::blocks(n, threads), threads, shared, stream>>>(p.a, p.c, n);
            };
            chapter.run({alone ? "turnover_alone" : "turnover",
                         threads,
                         {{"blocks", blocks}, {"resident", resident}}},
                        p, work);
        };
        for (unsigned threads : {64u, 128u, 256u, 512u, 1024u}) {
            run(threads, true);
            run(threads, false);
        }
    }
}
//! [block_rows]
