#include "common/device/libraries.hpp"

#include <stdexcept>

#if HAS_CUBLAS
#include "common/device/gpu/library.hpp"

#include <fmt/format.h>

#include <cublas_v2.h>
#endif

namespace common {

#if HAS_CUBLAS

namespace {

void check_cublas(cublasStatus_t status, const char* call)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(
            fmt::format("{} failed: {}.", call, cublasGetStatusString(status)));
}

int as_int(std::size_t size)
{
    return common::as_int(size, "cuBLAS");
}

void create(cublasHandle_t* handle)
{
    check_cublas(cublasCreate(handle), "cublasCreate");
}
using Handle = LibraryHandle<cublasHandle_t, create, cublasDestroy>;

/// That one, for calls on `stream`.
cublasHandle_t handle_for(cudaStream_t stream)
{
    static const Handle handle;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    return handle;
}

} // namespace

bool cublas_available()
{
    return true;
}

void cublas_transpose(const float* a, float* c, std::size_t rows, std::size_t columns,
                      cudaStream_t stream)
{
    // To cuBLAS, which stores matrices column by column, `a` has `columns` rows and `c` has `rows`.
    const int m = as_int(rows);
    const int n = as_int(columns);
    const float one = 1.0F;
    const float zero = 0.0F; // the second operand is not read
    check_cublas(cublasSgeam(handle_for(stream), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, a, n, &zero,
                             c, m, c, m),
                 "cublasSgeam");
}

void cublas_matrix_vector(const float* a, const float* x, float* c, const StoredMatrix& m,
                          cudaStream_t stream)
{
    const float one = 1.0F;
    const float zero = 0.0F;
    // To cuBLAS, a matrix that lies row by row is the transpose of one that lies column by column.
    const auto operation = m.by_rows ? CUBLAS_OP_T : CUBLAS_OP_N;
    check_cublas(cublasSgemv(handle_for(stream), operation, as_int(m.by_rows ? m.columns : m.rows),
                             as_int(m.by_rows ? m.rows : m.columns), &one, a, as_int(m.pitch), x, 1,
                             &zero, c, 1),
                 "cublasSgemv");
}

void cublas_matrix_vector_bf16(const void* a, const void* x, float* c, const StoredMatrix& m,
                               cudaStream_t stream)
{
    const float one = 1.0F;
    const float zero = 0.0F;
    const int rows = as_int(m.rows);
    const int columns = as_int(m.columns);
    check_cublas(cublasGemmEx(handle_for(stream), m.by_rows ? CUBLAS_OP_T : CUBLAS_OP_N,
                              CUBLAS_OP_N, rows, 1, columns, &one, a, CUDA_R_16BF, as_int(m.pitch),
                              x, CUDA_R_16BF, columns, &zero, c, CUDA_R_32F, rows,
                              CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
}

#else

namespace {

[[noreturn]] void refuse_cublas()
{
    throw std::logic_error("This program was built without cuBLAS; build it again where the CUDA "
                           "toolkit has it.");
}

} // namespace

bool cublas_available()
{
    return false;
}

void cublas_transpose(const float*, float*, std::size_t, std::size_t, cudaStream_t)
{
    refuse_cublas();
}

void cublas_matrix_vector(const float*, const float*, float*, const StoredMatrix&, cudaStream_t)
{
    refuse_cublas();
}

void cublas_matrix_vector_bf16(const void*, const void*, float*, const StoredMatrix&, cudaStream_t)
{
    refuse_cublas();
}

#endif

} // namespace common
