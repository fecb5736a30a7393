#include "common/device/libraries.hpp"

#include <stdexcept>

#if HAS_CUSPARSE
#include "common/device/gpu/library.hpp"

#include <fmt/format.h>

#include <cusparse.h>
#endif

namespace common {

#if HAS_CUSPARSE

namespace {

void check_cusparse(cusparseStatus_t status, const char* call)
{
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw std::runtime_error(
            fmt::format("{} failed: {}.", call, cusparseGetErrorString(status)));
}

void create(cusparseHandle_t* handle)
{
    check_cusparse(cusparseCreate(handle), "cusparseCreate");
}
using Handle = LibraryHandle<cusparseHandle_t, create, cusparseDestroy>;

/// What cuSPARSE calls the matrix, the vector and the result.
class Operands
{
  public:
    Operands(const StoredRows& m, const float* x, float* c)
    {
        const auto signed_size = [](std::size_t size) { return static_cast<std::int64_t>(size); };
        check_cusparse(cusparseCreateConstCsr(&a_, signed_size(m.rows), signed_size(m.columns),
                                              signed_size(m.count), m.start, m.column, m.value,
                                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                       "cusparseCreateConstCsr");
        check_cusparse(cusparseCreateConstDnVec(&x_, signed_size(m.columns), x, CUDA_R_32F),
                       "cusparseCreateConstDnVec");
        check_cusparse(cusparseCreateDnVec(&c_, signed_size(m.rows), c, CUDA_R_32F),
                       "cusparseCreateDnVec");
    }
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;
    ~Operands()
    {
        cusparseDestroySpMat(a_);
        cusparseDestroyDnVec(x_);
        cusparseDestroyDnVec(c_);
    }

    [[nodiscard]] cusparseConstSpMatDescr_t a() const { return a_; }
    [[nodiscard]] cusparseConstDnVecDescr_t x() const { return x_; }
    [[nodiscard]] cusparseDnVecDescr_t c() const { return c_; }

  private:
    cusparseConstSpMatDescr_t a_ = nullptr;
    cusparseConstDnVecDescr_t x_ = nullptr;
    cusparseDnVecDescr_t c_ = nullptr;
};

} // namespace

bool cusparse_available()
{
    return true;
}

void cusparse_matrix_vector(void* scratch, std::size_t& scratch_bytes, const StoredRows& m,
                            const float* x, float* c, cudaStream_t stream)
{
    static const Handle handle;
    const Operands operands(m, x, c);
    const float one = 1.0F;
    const float zero = 0.0F;
    constexpr auto whole = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto algorithm = CUSPARSE_SPMV_CSR_ALG1; // needs no look at the matrix beforehand
    if (scratch == nullptr) {
        check_cusparse(cusparseSpMV_bufferSize(handle, whole, &one, operands.a(), operands.x(),
                                               &zero, operands.c(), CUDA_R_32F, algorithm,
                                               &scratch_bytes),
                       "cusparseSpMV_bufferSize");
        return;
    }
    check_cusparse(cusparseSetStream(handle, stream), "cusparseSetStream");
    check_cusparse(cusparseSpMV(handle, whole, &one, operands.a(), operands.x(), &zero,
                                operands.c(), CUDA_R_32F, algorithm, scratch),
                   "cusparseSpMV");
}

#else

bool cusparse_available()
{
    return false;
}

void cusparse_matrix_vector(void*, std::size_t&, const StoredRows&, const float*, float*,
                            cudaStream_t)
{
    throw std::logic_error("This program was built without cuSPARSE; build it again where the CUDA "
                           "toolkit has it.");
}

#endif

} // namespace common
