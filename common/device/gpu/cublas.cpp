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

#endif

} // namespace common
