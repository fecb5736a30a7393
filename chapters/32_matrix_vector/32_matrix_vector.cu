// 32_matrix_vector: How fast can a GPU multiply a matrix by a vector?
//
// Each element of the matrix is read once and used once: DRAM bandwidth is the bound.
//
// products.cuh, sum_lanes.cuh     dot products of 16 bytes, and sums over lanes
// rows.cuh, columns.cuh           a matrix stored row by row, or column by column
// sparse.cuh, row_of.cuh          a sparse matrix, of which only the nonzero elements are stored
// matrix_vector.hpp, sparse_rows.hpp, row_sums.hpp  the tasks; libraries.hpp  cuBLAS, cuSPARSE

#include "columns.cuh"
#include "libraries.hpp"
#include "rows.cuh"
#include "sparse.cuh"

#include <cuda_bf16.h>

#include <algorithm>

//! [declared]
template<class T>
void run_dense(common::Chapter& chapter, const MatrixTask& task)
{
    MatrixVector<T> rows(chapter, task, Order::rows);
    MatrixVector<T> cols(chapter, task, Order::columns);
    for (MatrixVector<T>* p : {&rows, &cols}) {
        p->expect([p](std::size_t r) { // the reference, in double
            RowSum sum;
            for (std::size_t k = 0; k < p->columns; ++k) {
                sum.add(p->element(r, k), p->vector_element(k));
            }
            return sum;
        });
    }
    // A block has `block_rows` rows. Where `per_sm` is not 0, they are split over gridDim.y blocks:
    // as many as are resident, at most `per_sm` per SM, if each thread has work then.
    const auto run = [&](auto& p, const char* name, unsigned block_rows, unsigned loads,
                         auto kernel, unsigned per_sm = 0) {
        const unsigned row_blocks = common::blocks(p.rows, block_rows);
        const auto pieces = [=, &p] {
            const std::size_t useful = p.size() * sizeof(T) / (threads * sizeof(uint4));
            const std::size_t resident =
                per_sm == 0 ? 0 : common::persistent_grid_blocks(kernel, threads, 0, per_sm);
            const std::size_t blocks = std::min(resident, useful) / row_blocks;
            return static_cast<unsigned>(std::max(blocks, std::size_t{1}));
        };
        common::Variant variant = matrix_variant(p, name, threads);
        variant.columns.insert(variant.columns.end(), {{"loads", loads}, {"pieces", pieces}});
        variant.full_only = task.extra || (per_sm > 0 && p.order == Order::rows);
        chapter.run(variant, p, [=, &p](cudaStream_t stream) {
            const dim3 grid(row_blocks, pieces());
            if (grid.y > 1) {
                CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
            }
            const std::size_t length = p.order == Order::rows ? p.width : p.columns;
            kernel<<<grid, threads, 0, stream>>>(p.vectors(), p.x, p.c, p.rows, p.columns, p.width,
                                                 (length + grid.y - 1) / grid.y);
        });
    };
    constexpr unsigned block_rows = column_lanes * Sums<T>::count;
    if (!task.extra) {
        run(rows, "thread_per_row", threads, 1, lanes_per_row<T, 1, 1>);
        run(rows, "warp_per_row", threads / 32, 4, lanes_per_row<T, 32, 4>);
    }
    run(rows, "block_per_row", 1, 2, lanes_per_row<T, 256, 2>);
    run(rows, "unsplit_rows", 1, 4, unsplit_rows<T, 4>);
    run(rows, "split_rows", 1, 2, lanes_per_row<T, 256, 2>, ~0u);
    run_cublas(chapter, rows);
    if (!task.extra) {
        run(cols, "columns", block_rows, 8, columns<T, 8>);
    }
    run(cols, "split_columns", block_rows, 8, columns<T, 8>, blocks_per_sm);
    run_cublas(chapter, cols);
}

void run_sparse(common::Chapter& chapter, std::size_t elements, Pattern pattern)
{
    SparseRows p(chapter, elements, pattern, 4);
    p.expect([&p](std::size_t r) {
        RowSum sum;
        for (std::size_t i = p.first(r); i < p.first(r + 1); ++i) {
            sum.add(p.element(i), p.vector_element(p.column_of(r, i)));
        }
        return sum;
    });
    const auto run = [&](const char* name, unsigned grid, auto kernel) {
        common::Variant variant = sparse_variant(p, name, threads);
        variant.model_excluded_reason = "the time depends on the places of the elements";
        chapter.run(variant, p, [=, &p](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
            kernel<<<grid, threads, 0, stream>>>(p.start, p.column, p.value, p.x, p.c, p.rows);
        });
    };
    run("sparse_thread_per_row", common::blocks(p.rows, threads), sparse<1>);
    run("sparse_warp_per_row", common::blocks(p.rows, threads / 32), sparse<32>);
    run("sparse_vectors", common::blocks(p.rows, threads / 8), sparse_vectors);
    run("sparse_partitions", common::blocks(p.count, partition), sparse_partitions);
    run_cusparse(chapter, p);
}
//! [declared]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {4096 * 4096, 4099 * 4099, 14336 * 4096, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 3 * sizeof(float)})) {
        for (const MatrixTask& task : matrix_tasks(n)) {
            run_dense<float>(chapter, task);
            if (!task.extra) {
                run_dense<__nv_bfloat16>(chapter, task);
            }
        }
        for (const Pattern pattern :
             {Pattern::spread, Pattern::band, Pattern::uneven, Pattern::one_long}) {
            run_sparse(chapter, n / 16, pattern);
        }
    }
    return chapter.finish();
}
