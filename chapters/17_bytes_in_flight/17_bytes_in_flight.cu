// 17_bytes_in_flight: How many bytes must be on their way at once?
//
// A load takes hundreds of nanoseconds, whatever it loads. So bandwidth is what is on its way at
// any moment, over that time. This chapter measures each term: bytes in flight here, and beside it
// what a block costs, how long a load takes, and what the units on its way can do at most.

#include "blocks.cuh"
#include "chase.cuh"
#include "common/chapter.hpp"
#include "contention.cuh"
#include "streams.cuh"
#include "words.hpp"

#include <cstring>
#include <string>
#include <vector>

//! [fold]
// The bits of a value in one word, whatever its width.
__device__ unsigned fold(unsigned x)
{
    return x;
}
__device__ unsigned fold(uint2 x)
{
    return x.x ^ x.y;
}
__device__ unsigned fold(uint4 x)
{
    return x.x ^ x.y ^ x.z ^ x.w;
}
//! [fold]

//! [read]
constexpr unsigned threads = 256;

// Each thread has `loads` loads on their way, waits for all of them, and begins again: no more is
// ever in flight, and, but for a moment, no less. What it has read becomes one word.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads) read(const T* a, unsigned* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x * loads;
    unsigned x = 0;
#pragma unroll 1
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x; i < n;
         i += step) {
        T v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            const std::size_t j = i + std::size_t{k} * blockDim.x;
            v[k] = j < n ? a[j] : T{};
        }
        for (unsigned k = 0; k < loads; ++k) {
            x ^= fold(v[k]);
        }
    }
    c[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = x;
}
//! [read]

// What `grid` blocks make of the input, read by `width` bytes.
common::Expected words_read(const common::Words& p, unsigned grid, unsigned loads, unsigned width)
{
    return [&p, grid, loads, width](std::size_t first, std::size_t count, void* out) {
        const std::size_t n = p.n * sizeof(unsigned) / width;
        const std::size_t tile = std::size_t{threads} * loads;
        std::vector<unsigned> words(tile * width / sizeof(unsigned));
        for (std::size_t block = first / threads; block * threads < first + count; ++block) {
            unsigned x[threads] = {};
            for (std::size_t i = block * tile; i < n; i += grid * tile) {
                const std::size_t elements = std::min(tile, n - i);
                p.input(i * width / sizeof(unsigned), (elements * width + 3) / 4, words.data());
                for (std::size_t byte = 0; byte < elements * width; ++byte) {
                    unsigned char value = 0;
                    std::memcpy(&value, reinterpret_cast<const char*>(words.data()) + byte, 1);
                    x[byte / width % threads] ^= unsigned{value} << byte % width % 4 * 8;
                }
            }
            for (std::size_t k = 0; k < threads; ++k) {
                const std::size_t at = block * threads + k;
                if (at >= first && at < first + count) {
                    static_cast<unsigned*>(out)[at - first] = x[k];
                }
            }
        }
    };
}

//! [rows]
// `resident` blocks on each multiprocessor, which stay to the end.
template<class T, unsigned loads>
void run_read(common::Chapter& chapter, common::Words& p, unsigned resident)
{
    const std::size_t n = p.n * sizeof(unsigned) / sizeof(T);
    const unsigned warps = resident * threads / 32;
    unsigned grid = 0;
    common::Work work;
    work.setup = [&] {
        grid = std::min(resident * common::attribute(cudaDevAttrMultiProcessorCount),
                        std::max(common::blocks(n, threads * loads), 1u));
        p.expect(std::size_t{grid} * threads, p.n * sizeof(unsigned),
                 words_read(p, grid, loads, sizeof(T)));
    };
    work.work = [&](cudaStream_t stream) {
        read<T, loads><<<grid, threads, 0, stream>>>(reinterpret_cast<const T*>(p.a), p.c, n);
    };
    const auto missing = [=] {
        return common::resident_blocks(read<T, loads>, threads) < resident
                   ? "needs room for " + std::to_string(warps) + " warps a multiprocessor"
                   : "";
    };
    chapter.run({"read",
                 threads,
                 {{"width", sizeof(T)},
                  {"loads", loads},
                  {"warps", warps},
                  {"in_flight", warps * 32 * loads * sizeof(T)}},
                 missing},
                p, work);
}

void run_reads(common::Chapter& chapter)
{
    for (std::size_t n : chapter.sizes({1u << 28}, {1u << 16}, sizeof(unsigned))) {
        common::Words p(chapter, "read", n, n);
        for (unsigned resident : {1u, 2u, 4u, 8u}) {
            run_read<unsigned, 1>(chapter, p, resident);
        }
        for (unsigned resident : {1u, 8u}) {
            run_read<unsigned, 2>(chapter, p, resident);
            run_read<unsigned, 4>(chapter, p, resident);
            run_read<unsigned, 8>(chapter, p, resident);
        }
        run_read<unsigned char, 1>(chapter, p, 8);
        run_read<unsigned char, 8>(chapter, p, 8);
        run_read<unsigned short, 1>(chapter, p, 8);
        run_read<uint2, 1>(chapter, p, 8);
        for (unsigned resident : {1u, 2u, 4u, 8u}) {
            run_read<uint4, 1>(chapter, p, resident);
            run_read<uint4, 4>(chapter, p, resident);
        }
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_reads(chapter);
    run_blocks(chapter);
    run_chases(chapter);
    run_streams(chapter);
    run_contention(chapter);
    return chapter.finish();
}
