/// \file
/// Rows of cuBLAS and cuSPARSE on the same matrices.
#pragma once

#include "common/chapter.hpp"
#include "matrix_vector.hpp"
#include "sparse_rows.hpp"

/// Runs cublasSgemv, or for bfloat16 cublasGemmEx with a matrix of one column, which adds up
/// floats.
template<class T>
void run_cublas(common::Chapter& chapter, MatrixVector<T>& p)
{
    constexpr bool floats = sizeof(T) == sizeof(float);
    common::Variant variant = matrix_variant(p, floats ? "cublasSgemv" : "cublasGemmEx");
    variant.unavailable = [] { return common::cublas_available() ? "" : "built without cuBLAS"; };
    chapter.run_library(variant, p, [&p](cudaStream_t stream) {
        const common::StoredMatrix m{p.rows, p.columns, p.pitch, p.order == Order::rows};
        if constexpr (floats)
            common::cublas_matrix_vector(p.a, p.x, p.c, m, stream);
        else
            common::cublas_matrix_vector_bf16(p.a, p.x, p.c, m, stream);
    });
}

/// Runs cusparseSpMV.
inline void run_cusparse(common::Chapter& chapter, SparseRows& p)
{
    common::Variant variant = sparse_variant(p, "cusparseSpMV");
    variant.unavailable = [] {
        return common::cusparse_available() ? "" : "built without cuSPARSE";
    };
    common::run_with_scratch(
        chapter, p, variant, [&p](void* scratch, std::size_t& bytes, cudaStream_t stream) {
            const common::StoredRows m{p.rows, p.rows, p.count, p.start, p.column, p.value};
            common::cusparse_matrix_vector(scratch, bytes, m, p.x, p.c, stream);
        });
}
