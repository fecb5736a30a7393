// claim_parts: Do parts of an array that take turns lose because a power of two lies between them?
//
// The copy of chapter 27 whose blocks take turns in several parts of its arrays, by powers of two
// and by their neighbours. If what is to blame is the distance, as where channels of the memory get
// more than their share, then 3, 17 and 1023 parts lose little, and 1025, which are a MiB apart as
// 1024 are, lose what those lose. If it is how many places the requests come from, each loses what
// its neighbour does.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;

// As in chapter 27.
__global__ void copy_ordered(const unsigned* a, unsigned* c, std::size_t n, unsigned streams,
                             unsigned window)
{
    const unsigned turn = blockIdx.x;
    const unsigned place = turn % streams * (gridDim.x / streams) + turn / streams;
    const unsigned within = place % window;
    const std::size_t block = place - within + __umulhi(__brev(within), window);
    const std::size_t i = block * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        reinterpret_cast<uint4*>(c)[i] = reinterpret_cast<const uint4*>(a)[i];
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k];
        }
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // 1 GiB and 4 GiB
    for (std::size_t n : chapter.sizes({.gpu = {1 << 28, 1 << 30},
                         .cpu = {1 << 18},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        common::Copy<unsigned> p(chapter, {.n = n});
        for (unsigned streams : {1u, 2u, 3u, 4u, 16u, 17u, 1023u, 1024u, 1025u}) {
            const unsigned part = common::blocks(n, std::size_t{4} * threads * streams); // blocks
            const std::size_t bytes = std::size_t{part} * threads * sizeof(uint4);
            chapter.run({.name = "copy_ordered",
                         .threads = threads,
                         .columns = {{"streams", streams}, {"part_bytes", bytes}}},
                        p, [&](cudaStream_t stream) {
                            copy_ordered<<<part * streams, threads, 0, stream>>>(p.a, p.c, n,
                                                                                 streams, 1);
                        });
        }
    }
    return chapter.finish();
}
