/// \file
/// Rows that multiply a matrix by a vector, a chapter's own and the libraries'.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/libraries.hpp"
#include "common/problem/matrix_vector.hpp"
#include "common/problem/sparse_rows.hpp"
#include "common/run/chapter.hpp"
#include "common/run/library_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace common {

/// A chapter's sizes, in elements of the matrix: squares of 4096, 4099 and 16384, and the wide
/// matrix of a decoder layer, which makes 14336 of 4096.
extern const Sizes matrix_sizes;

/// The matrices of at most n elements: a square of whole numbers, or the wide one; and of a quarter
/// as many elements, 8 rows, and a square of fractions, for what has to be seen of them.
[[nodiscard]] std::vector<MatrixTask> matrix_tasks(std::size_t n);

/// A row with a matrix that is stored whole.
struct MatrixRow
{
    const char* name;   ///< Variant::name
    unsigned rows = 1;  ///< of the matrix that a block has
    unsigned loads = 1; ///< of 16 bytes that a thread has on their way
    bool split = false; ///< whether several blocks share those rows
    bool extra = false; ///< whether floats run with a MatrixTask::extra, too, as what is split does
    unsigned each = ~0U; ///< blocks of a multiprocessor that share them, at most
};

/// What the rows of a matrix have in common: the columns `type`, `order`, `rows`, `columns` and
/// `factors`, and whether --full is needed.
template<class T>
[[nodiscard]] Variant matrix_variant(const MatrixVector<T>& p)
{
    const bool by_rows = p.order == Order::rows;
    return {.name = {}, // is the caller's
            .columns = {{"type", sizeof(T) == sizeof(float) ? "float" : "bf16"},
                        {"order", by_rows ? "rows" : "columns"},
                        {"rows", p.rows},
                        {"columns", p.columns},
                        {"factors", p.factors() == Factors::whole ? "whole" : "fractions"}},
            .full = p.matrix().extra};
}

/// Runs launch(grid, piece, stream): in x so many blocks that each row of the matrix has one, and
/// in y, if it is to be split, as many as are resident, if each thread has work then. c is 0 before
/// those.
template<class T, class Kernel, class LaunchKernel>
void run_matrix_row(Chapter& chapter, MatrixVector<T>& p, const MatrixRow& row, Kernel kernel,
                    LaunchKernel launch)
{
    constexpr unsigned threads = 256;
    if (p.matrix().extra && ((!row.split && !row.extra) || sizeof(T) != sizeof(float)))
        return;
    const auto pieces = [&, row, kernel] {
        if (!row.split)
            return 1u;
        const unsigned whole = blocks(p.rows, row.rows);
        const std::size_t needed = p.size() * sizeof(T) / (threads * sizeof(uint4));
        const std::size_t room = persistent_grid_blocks(kernel, threads, 0, row.each);
        return static_cast<unsigned>(std::max(std::min(room, needed) / whole, std::size_t{1}));
    };
    Variant variant = matrix_variant(p);
    variant.name = row.name;
    variant.threads = threads;
    variant.columns.push_back({"loads", row.loads});
    variant.columns.push_back({"pieces", pieces});
    variant.full = variant.full || (row.split && p.order == Order::rows); // one piece suffices
    chapter.run(variant, p, [&, pieces](cudaStream_t stream) {
        const dim3 grid(blocks(p.rows, row.rows), pieces());
        if (grid.y > 1)
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
        const std::size_t whole = p.order == Order::rows ? p.width : p.columns;
        launch(grid, (whole + grid.y - 1) / grid.y, stream);
    });
}

/// cuBLAS: cublasSgemv, or for bfloat16 cublasGemmEx with a matrix of one column, which adds up
/// floats.
template<class T>
void run_cublas(Chapter& chapter, MatrixVector<T>& p)
{
    constexpr bool floats = sizeof(T) == sizeof(float);
    if (p.matrix().extra && !floats)
        return;
    Variant variant = matrix_variant(p);
    variant.name = floats ? "cublasSgemv" : "cublasGemmEx";
    variant.unavailable = [] { return cublas_available() ? "" : "built without cuBLAS"; };
    chapter.run_library(variant, p, [&p](cudaStream_t stream) {
        const StoredMatrix m{p.rows, p.columns, p.pitch, p.order == Order::rows};
        if constexpr (floats)
            cublas_matrix_vector(p.a, p.x, p.c, m, stream);
        else
            cublas_matrix_vector_bf16(p.a, p.x, p.c, m, stream);
    });
}

/// The patterns of sparse matrices.
inline constexpr std::array patterns = {Pattern::spread, Pattern::band, Pattern::uneven,
                                        Pattern::one_long};

/// What the rows of a sparse matrix have in common.
[[nodiscard]] Variant sparse_variant(const SparseRows& p, const char* name);

/// Runs launch(stream), with c 0 before.
template<class LaunchKernel>
void run_sparse_row(Chapter& chapter, SparseRows& p, const char* name, LaunchKernel launch)
{
    Variant variant = sparse_variant(p, name);
    variant.threads = 256;
    variant.unmodelled = "where the elements stand decides";
    chapter.run(variant, p, [&, launch](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
        launch(stream);
    });
}

/// cusparseSpMV.
void run_cusparse(Chapter& chapter, SparseRows& p);

} // namespace common
