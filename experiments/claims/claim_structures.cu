// claim_structures: Is it the streams that make a structure of arrays slower?
//
// A copy whose threads have `words` words each, from `streams` parts of the array: one stream is an
// array of structures with its tiles, as many streams as words a structure of arrays. What a thread
// has in flight, and what a request looks like, is the same whatever the streams are.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;

template<unsigned words, unsigned streams>
__global__ void copy(const unsigned* a, unsigned* c, std::size_t n)
{
    constexpr unsigned each = words / streams; // of a thread, from each stream
    const std::size_t part = (n + streams - 1) / streams;
    const std::size_t first = std::size_t{blockIdx.x} * threads * each + threadIdx.x;
    unsigned v[words];
    for (unsigned k = 0; k < words; ++k) {
        const std::size_t j = first + k / streams * threads;
        const std::size_t i = k % streams * part + j;
        v[k] = j < part && i < n ? a[i] : 0;
    }
    for (unsigned k = 0; k < words; ++k) {
        const std::size_t j = first + k / streams * threads;
        const std::size_t i = k % streams * part + j;
        if (j < part && i < n) {
            c[i] = v[k];
        }
    }
}

// Tiles of 32 structures, each a small structure of arrays: what a warp has lies in one piece.
template<unsigned words>
__global__ void copy_tiles(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t thread = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const std::size_t first = thread / 32 * 32 * words + thread % 32;
    unsigned v[words];
    for (unsigned k = 0; k < words; ++k) {
        v[k] = first + k * 32 < n ? a[first + k * 32] : 0;
    }
    for (unsigned k = 0; k < words; ++k) {
        if (first + k * 32 < n) {
            c[first + k * 32] = v[k];
        }
    }
}

template<unsigned words, unsigned streams>
void run(common::Chapter& chapter, common::Copy<unsigned>& p)
{
    chapter.run({.name = "streams",
                 .threads = threads,
                 .columns = {{"words", words}, {"streams", streams}}},
                p, [&](cudaStream_t stream) {
                    const std::size_t part = (p.n + streams - 1) / streams;
                    copy<words, streams>
                        <<<common::blocks(part, threads * (words / streams)), threads, 0, stream>>>(
                            p.a, p.c, p.n);
                });
    if constexpr (streams < words) {
        run<words, 2 * streams>(chapter, p);
    }
}

template<unsigned words>
void run_words(common::Chapter& chapter, common::Copy<unsigned>& p)
{
    run<words, 1>(chapter, p);
    chapter.run({.name = "tiles", .threads = threads, .columns = {{"words", words}}}, p,
                [&](cudaStream_t stream) {
                    copy_tiles<words><<<common::blocks(p.n, threads * words), threads, 0, stream>>>(
                        p.a, p.c, p.n);
                });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // The streams of the first lie a power of two apart, those of the second an odd number of
    // lines.
    const common::Sizes sizes{.gpu = {1u << 28, (1u << 28) - 12345 * 16 * 32},
                              .cpu = {1u << 16},
                              .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Copy<unsigned> p(chapter, {.n = n});
        if (n % 8192 == 0) {
            run_words<2>(chapter, p);
            run_words<8>(chapter, p);
        }
        run_words<4>(chapter, p);
        run_words<16>(chapter, p);
    }
    return chapter.finish();
}
