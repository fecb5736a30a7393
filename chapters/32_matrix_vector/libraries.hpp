/// \file
/// Rows of cuBLAS and cuSPARSE on the same matrices, each by the fastest of its algorithms.
#pragma once

#include "common/chapter.hpp"
#include "matrix_vector.hpp"
#include "sparse_rows.hpp"

#include <functional>
#include <string>
#include <vector>

/// Why these libraries cannot be called; empty where they can.
[[nodiscard]] std::string lack_of_libraries();

/// A dense matrix and its vector, of floats or of __nv_bfloat16.
struct DenseOperands
{
    const void* a;       ///< the matrix
    const void* x;       ///< the vector
    float* c;            ///< the result
    std::size_t rows;    ///< of the matrix
    std::size_t columns; ///< of the matrix
    std::size_t pitch;   ///< elements from row to row, or from column to column
    bool by_rows;        ///< which of them
    bool floats;         ///< which type
};

/// c = a x by cublasSgemv, of floats.
[[nodiscard]] common::Launch sgemv(const DenseOperands& m);
/// c = a x by cublasLtMatmul, x being a matrix of one column: a launch for each of the first eight
/// algorithms that its heuristics propose. Throws std::runtime_error where there is none.
[[nodiscard]] std::vector<common::Launch> lt_matmuls(const DenseOperands& m);
/// c = a x by cusparseSpMV: a launch for each of its two algorithms for such rows, preprocessed.
[[nodiscard]] std::vector<common::Launch> sparse_products(const SparseRows& p);
/// The fastest of them, cold, by the median of five.
[[nodiscard]] common::Launch fastest(const std::vector<common::Launch>& launches);

/// Runs the launch that `make` finds, once there are arrays.
inline void run_made(common::Chapter& chapter, common::Problem& p, common::Variant variant,
                     const std::function<common::Launch()>& make)
{
    common::Launch launch;
    variant.unavailable = lack_of_libraries;
    variant.setup = [&] { launch = make(); };
    chapter.run_library(variant, p, [&](cudaStream_t stream) { launch(stream); });
}

/// Runs cublasLtMatmul, and for floats cublasSgemv.
template<class T>
void run_cublas(common::Chapter& chapter, MatrixVector<T>& p)
{
    constexpr bool floats = sizeof(T) == sizeof(float);
    const auto operands = [&p] {
        return DenseOperands{p.a,   p.x, p.c, p.rows, p.columns, p.pitch, p.order == Order::rows,
                             floats};
    };
    if (floats)
        run_made(chapter, p, matrix_variant(p, "cublasSgemv"), [&] { return sgemv(operands()); });
    run_made(chapter, p, matrix_variant(p, "cublasLtMatmul"),
             [&] { return fastest(lt_matmuls(operands())); });
}

/// Runs cusparseSpMV.
inline void run_cusparse(common::Chapter& chapter, SparseRows& p)
{
    run_made(chapter, p, sparse_variant(p, "cusparseSpMV"),
             [&] { return fastest(sparse_products(p)); });
}
