// 24_streams: What maximum bandwidth does each read/write mix reach?
//
// Measures streams of reads and writes in every mix, from DRAM and from L2, and stores to a part of
// every sector.
//
// stream.cuh         reads and writes in any mix
// write_sectors.cuh  stores of a part of each sector

#include "stream.cuh"
#include "write_sectors.cuh"

#include <algorithm>
#include <string>

//! [stream_rows]
constexpr unsigned stream_block = 256;

struct Mix
{
    void (*kernel)(const uint4*, unsigned*, std::size_t);
    unsigned reads;
    unsigned writes;
};

const Mix from_dram[] = {{stream<4, 0>, 4, 0}, {stream<3, 1>, 3, 1}, {stream<2, 1>, 2, 1},
                         {stream<2, 2>, 2, 2}, {stream<1, 1>, 1, 1}, {stream<1, 2>, 1, 2},
                         {stream<1, 3>, 1, 3}, {stream<0, 4>, 0, 4}};

// Two or three arrays fit in L2. A pass has more blocks than can be resident, so that two passes do
// not request the same sector at once, which one transfer could serve.
const Mix from_l2[] = {{stream<2, 0>, 2, 0},
                       {stream<2, 1>, 2, 1},
                       {stream<1, 1>, 1, 1},
                       {stream<1, 2>, 1, 2},
                       {stream<0, 2>, 0, 2}};

void run_stream(common::Chapter& chapter, const char* name, common::Words& p, const Mix& mix,
                unsigned passes)
{
    const std::size_t n = std::max<std::size_t>(p.n / 4, 1); // vectors per array
    p.moved = std::uint64_t{passes} * (mix.reads + mix.writes) * n * sizeof(uint4);
    if (mix.writes == 0) {
        p.expect((n + 31) / 32, words_of_warps(p, mix.reads, n * 4));
    } else {
        p.expect(mix.writes * n * 4, words_written(p, mix.reads, n * 4));
    }
    const std::string ratio = std::to_string(mix.reads) + ":" + std::to_string(mix.writes);
    const common::Variant row{.name = name,
                              .threads = stream_block,
                              .columns = {{"mix", ratio}},
                              .full_only = mix.writes > 1}; // many outputs take long to verify
    chapter.run(row, p, [&](cudaStream_t queue) {
        const dim3 grid(common::blocks(n, stream_block), passes);
        mix.kernel<<<grid, stream_block, 0, queue>>>(reinterpret_cast<const uint4*>(p.a), p.c, n);
    });
}

void run_sectors(common::Chapter& chapter, const char* name, common::Words& p, unsigned passes)
{
    const std::size_t sectors = std::max<std::size_t>(p.n / 8, 1);
    const auto run = [&](void (*kernel)(unsigned*, std::size_t), unsigned words) {
        p.moved = passes * sectors * words * sizeof(unsigned);
        p.expect_words(8 * sectors, [words](std::size_t i) {
            return i % 8 < words ? static_cast<unsigned>(i) : 0xffffffff; // the poison
        });
        const common::Variant row{.name = name,
                                  .threads = stream_block,
                                  .columns = {{"stored", words * sizeof(unsigned)}}};
        chapter.run(row, p, [&](cudaStream_t queue) {
            const dim3 grid(common::blocks(sectors * words, stream_block * stores), passes);
            kernel<<<grid, stream_block, 0, queue>>>(p.c, 8 * sectors);
        });
    };
    run(write_sectors<1>, 1);
    run(write_sectors<2>, 2);
    run(write_sectors<4>, 4);
    run(write_sectors<8>, 8);
}

// Passes of one launch over arrays in L2: it then moves about as many bytes as one from DRAM.
unsigned passes_over(std::size_t n)
{
    return common::backend() == common::Backend::cpu || n < 1u << 20 ? 2 : 64;
}

void run_streams(common::Chapter& chapter)
{
    const auto run = [&](const char* name, std::size_t n, const auto& mixes, unsigned passes) {
        common::Words p(chapter, name, n, 4 * std::max<std::size_t>(n, 4));
        for (const Mix& mix : mixes) {
            run_stream(chapter, name, p, mix, passes);
        }
    };
    const auto sizes = [&](std::size_t gpu, std::size_t arrays) {
        return chapter.sizes(
            {.gpu = {gpu}, .cpu = {1u << 14}, .bytes_per_element = arrays * sizeof(unsigned)});
    };
    for (std::size_t n : sizes(1u << 28, 8)) {
        run("stream", n, from_dram, 1);
    }
    for (std::size_t n : sizes(1u << 21, 4)) {
        run("stream_l2", n, from_l2, passes_over(n));
    }
    for (std::size_t n : sizes(1u << 28, 1)) {
        common::Words p(chapter, "sectors", n);
        run_sectors(chapter, "sectors", p, 1);
    }
    for (std::size_t n : sizes(1u << 22, 1)) {
        common::Words p(chapter, "sectors_l2", n);
        run_sectors(chapter, "sectors_l2", p, passes_over(n));
    }
}
//! [stream_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_streams(chapter);
    return chapter.finish();
}
