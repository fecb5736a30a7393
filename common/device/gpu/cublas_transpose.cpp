#include "common/device/libraries.hpp"

#include <stdexcept>

#if HAS_CUBLAS
#include <fmt/format.h>

#include <cublas_v2.h>

#include <climits>
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

/// One for the whole program: making it allocates device memory and loads kernels.
class Handle
{
  public:
    Handle() { check_cublas(cublasCreate(&handle_), "cublasCreate"); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { cublasDestroy(handle_); }

    operator cublasHandle_t() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

} // namespace

bool cublas_available()
{
    return true;
}

void cublas_transpose(const float* a, float* c, std::size_t rows, std::size_t columns,
                      cudaStream_t stream)
{
    if (rows > INT_MAX || columns > INT_MAX)
        throw std::length_error(fmt::format("cublasSgeam takes at most {} rows and columns; this "
                                            "matrix has {} and {}.",
                                            INT_MAX, rows, columns));
    static const Handle handle;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    // To cuBLAS, which stores matrices column by column, `a` has `columns` rows and `c` has `rows`.
    const int m = static_cast<int>(rows);
    const int n = static_cast<int>(columns);
    const float one = 1.0F;
    const float zero = 0.0F; // the second operand is not read
    check_cublas(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, a, n, &zero, c, m, c, m),
                 "cublasSgeam");
}

#else

bool cublas_available()
{
    return false;
}

void cublas_transpose(const float*, float*, std::size_t, std::size_t, cudaStream_t)
{
    throw std::logic_error("This program was built without cuBLAS; build it again where the CUDA "
                           "toolkit has it.");
}

#endif

} // namespace common
