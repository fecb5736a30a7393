// claim_segments: What does it take to find out which rows an index names?
//
// Chapter 35 adds rows up by their members and is handed the lists. Here they are made: the
// numbers of the rows sorted by their indices, by CUB, and where those of each index begin.

#include "common/chapter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#endif

constexpr unsigned threads = 256;

// begin[v] is the first place of `sorted` with an index of v or more, for all v up to `rows`.
__global__ void begins(const unsigned* sorted, unsigned* begin, unsigned rows)
{
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    if (i > rows) {
        return;
    }
    const unsigned last = i < rows ? sorted[i] : rows;
    for (unsigned v = i > 0 ? sorted[i - 1] + 1 : 0; v <= last; ++v) {
        begin[v] = i;
    }
}

// CUB's sort, with its scratch memory and how many bits an index has.
struct Sort
{
    int bits = 0;
    std::size_t bytes = 0;
    common::Buffer<std::byte> scratch = {};

#ifdef __CUDACC__
    void operator()(const unsigned* index, unsigned* sorted, const unsigned* numbers,
                    unsigned* members, unsigned rows, cudaStream_t stream)
    {
        CHECK_CUDA(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, index, sorted, numbers,
                                                   members, static_cast<int>(rows), 0, bits,
                                                   stream));
        if (scratch.size() == 0) { // it has only said how many bytes it needs
            scratch = common::Buffer<std::byte>(bytes);
        }
    }
#else
    void operator()(const void*, void*, const void*, void*, unsigned, cudaStream_t) const {}
#endif
};

common::Buffer<unsigned> on_device(const std::vector<unsigned>& from)
{
    common::Buffer<unsigned> to(from.size());
    CHECK_CUDA(
        cudaMemcpy(to.data(), from.data(), from.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    return to;
}

// As many indices as rows, as chapter 35 has them: any, or of ten one is 0.
void run(common::Chapter& chapter, unsigned rows, bool hot)
{
    std::vector<unsigned> index(rows);
    std::vector<unsigned> members(rows);
    std::vector<unsigned> begin(rows + 1);
    common::Buffer<unsigned> device_index;
    common::Buffer<unsigned> numbers;
    common::Buffer<unsigned> sorted;
    Sort sort{.bits = static_cast<int>(std::bit_width(rows - 1))};
    common::Words p(chapter, "find members", rows);

    const auto prepare = [&] { // once
        if (sorted.size() > 0) {
            return;
        }
        for (unsigned r = 0; r < rows; ++r) {
            const auto hash = common::random_bits::mix(r + 1);
            index[r] = hot && hash % 10 == 0 ? 0 : static_cast<unsigned>((hash >> 8) % rows);
            ++begin[index[r] + 1];
        }
        std::inclusive_scan(begin.begin(), begin.end(), begin.begin());
        std::iota(members.begin(), members.end(), 0);
        numbers = on_device(members);
        device_index = on_device(index);
        std::stable_sort(members.begin(), members.end(),
                         [&](unsigned r, unsigned s) { return index[r] < index[s]; });
        std::vector<unsigned> in_order(index);
        std::sort(in_order.begin(), in_order.end());
        sorted = on_device(in_order);
        sort(nullptr, nullptr, nullptr, nullptr, rows, nullptr);
    };
    const auto variant = [&](const char* name, std::size_t words, auto expected) {
        return common::Variant{.name = name,
                               .columns = {{"indices", hot ? "hot" : "random"}},
                               .setup = [&, words, expected] {
                                   prepare();
                                   p.moved = (rows + words) * sizeof(unsigned);
                                   p.expect_words(words, expected);
                               }};
    };
    const unsigned grid = common::blocks(rows + 1, threads);

    common::Variant row = variant("begins", rows + 1, [&](std::size_t i) { return begin[i]; });
    row.threads = threads;
    chapter.run(row, p, [&](cudaStream_t stream) {
        begins<<<grid, threads, 0, stream>>>(sorted.data(), p.c, rows);
    });
    row = variant("sort", rows, [&](std::size_t i) { return members[i]; });
    chapter.run_library(row, p, [&](cudaStream_t stream) {
        sort(device_index.data(), sorted.data(), numbers.data(), p.c, rows, stream);
    });
    row = variant("sort_and_begins", 2 * rows + 1,
                  [&](std::size_t i) { return i < rows ? members[i] : begin[i - rows]; });
    chapter.run_library(row, p, [&](cudaStream_t stream) {
        sort(device_index.data(), sorted.data(), numbers.data(), p.c, rows, stream);
        begins<<<grid, threads, 0, stream>>>(sorted.data(), p.c + rows, rows);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // As many rows as 512 MiB have of 8 KiB, of 512 bytes and of 64.
    for (std::size_t n : chapter.sizes({.gpu = {1 << 16, 1 << 20, 1 << 23},
                         .cpu = {1 << 12},
                         .bytes_per_element = 6 * sizeof(unsigned)})) {
        run(chapter, static_cast<unsigned>(std::max(n, std::size_t{2})), false);
        run(chapter, static_cast<unsigned>(std::max(n, std::size_t{2})), true);
    }
    return chapter.finish();
}
