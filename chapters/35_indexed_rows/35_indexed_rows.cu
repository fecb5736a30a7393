// 35_indexed_rows: How fast can rows be gathered and accumulated?
//
// Chapter 17 gathers single elements. Programs look up rows of a table: the embedding vectors of
// words, and the pages of a KV cache; training adds gradients to the rows that were looked up.
//
// where.cuh         which row of an array a row is: by its number, by an index, or by a page table
// moves.cuh         kernels that copy rows
// hints.cuh         one of them with L2 cache policies
// sums.cuh          kernels that add rows by index
// indexed_rows.hpp  the tasks

#include "common/chapter.hpp"
#include "hints.cuh"
#include "indexed_rows.hpp"
#include "moves.cuh"
#include "sums.cuh"

#include <algorithm>
#include <type_traits>

//! [rows]
constexpr unsigned threads = 128; // per block

template<class From, class To>
void run_moves(common::Chapter& chapter, IndexedRows& p, bool full)
{
    const unsigned width = p.of<uint4>();
    const auto run = [&](const char* name, std::size_t grid_threads, auto kernel, auto... group) {
        const unsigned block = std::max({threads, group...});
        common::Variant variant = rows_variant(p, name, block);
        variant.full_only = full;
        variant.model_excluded_reason =
            grid_threads == p.rows ? "few threads load their vectors one after another" : "";
        const unsigned grid = common::blocks(grid_threads, block);
        chapter.run(variant, p, [&](cudaStream_t stream) {
            kernel<<<grid, block, 0, stream>>>(From{p.where}, To{p.where}, p.a<uint4>(),
                                               p.c<uint4>(), p.rows, width, group...);
        });
    };
    run("row_per_thread", p.rows, row_per_thread<From, To>);
    run("vector_per_thread", p.rows * width, vector_per_thread<From, To>);
    run("row_per_warp", p.rows * 32, row_per_group<From, To>, 32u);
    const unsigned group = width < 16 ? width : width / 4; // threads with four vectors each
    run("row_per_group", p.rows * group, row_per_group<From, To>, group);
    if constexpr (std::is_same_v<From, Indexed>) {            // else no row is read twice
        const unsigned wide = width < 16 ? width : width / 2; // threads with two vectors each
        run("row_per_group_hinted", p.rows * wide, row_per_group_hinted<From, To>, wide);
    }
}

void run_sums(common::Chapter& chapter, IndexedRows& p, bool full)
{
    p.expect_sums([&p](std::size_t v, std::size_t k) {
        float sum = 0;
        for (const std::size_t r : p.members_of(v)) {
            sum += p.element(r * p.of<float>() + k);
        }
        return sum;
    });
    const unsigned floats = common::blocks(p.rows * p.of<float>(), threads);
    const unsigned warps = common::blocks(p.rows * 32, threads);
    common::Variant variant = rows_variant(p, "atomic_add_rows", threads);
    variant.full_only = full;
    variant.model_excluded_reason = "its time includes a memset";
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c<float>(), 0, p.rows * p.width, stream));
        atomic_add_rows<<<floats, threads, 0, stream>>>(p.where, p.a<float>(), p.c<float>(), p.rows,
                                                        p.of<float>());
    });
    variant.name = "segment_sum";
    variant.model_excluded_reason = "a sample of the warps may miss those with many rows";
    chapter.run(variant, p, [&](cudaStream_t stream) {
        segment_sum<<<warps, threads, 0, stream>>>(p.begin, p.members, p.a<float4>(), p.c<float4>(),
                                                   p.rows, p.of<float4>());
    });
}

void run_width(common::Chapter& chapter, std::size_t n, std::size_t row_bytes)
{
    for (const RowOrder order : {RowOrder::random, RowOrder::sorted}) {
        const bool full = order == RowOrder::sorted;
        IndexedRows rows(chapter, RowTask::look_up, n, row_bytes, order);
        rows.expect_rows([&](std::size_t r) { return rows.index(r); });
        run_moves<Indexed, Identity>(chapter, rows, full);
        IndexedRows sums(chapter, RowTask::add_up, n, row_bytes, order);
        run_sums(chapter, sums, full);
    }
    if (row_bytes == 8192) {
        IndexedRows read(chapter, RowTask::read, n, row_bytes, RowOrder::random);
        read.expect_rows([&](std::size_t r) { return read.place(r); });
        run_moves<Paged, Identity>(chapter, read, false);
        IndexedRows append(chapter, RowTask::append, n, row_bytes, RowOrder::random);
        append.expect_rows([&](std::size_t r) { return append.row_at(r); });
        run_moves<Identity, Paged>(chapter, append, false);
        IndexedRows hot(chapter, RowTask::add_up, n, row_bytes, RowOrder::hot);
        run_sums(chapter, hot, true);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    constexpr std::size_t mib = 1 << 19; // of elements of 16 bits
    for (std::size_t n : chapter.sizes({.gpu = {mib, 16 * mib, 16 * mib + 7 * 4096, 512 * mib},
                         .cpu = {mib},
                         .default_sizes = {512 * mib},
                         .bytes_per_element = 4})) {
        for (const std::size_t row_bytes : {64, 512, 8192}) {
            run_width(chapter, n, row_bytes);
        }
    }
    return chapter.finish();
}
