#include "libraries.hpp"

#include <stdexcept>

#if defined(HAS_LIBRARIES) && __has_include(<cublasLt.h>) && __has_include(<cusparse.h>)
#define HAS_CUBLAS_AND_CUSPARSE
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusparse.h>
#endif

#ifdef HAS_CUBLAS_AND_CUSPARSE

namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
const float one = 1.0F;
const float zero = 0.0F;

// All three libraries say 0 where a call has succeeded.
template<class Status>
void check(Status status, const char* call)
{
    if (static_cast<int>(status) != 0)
        throw std::runtime_error(
            fmt::format("{} failed with status {}.", call, static_cast<int>(status)));
}

// What a library has made, and destroys when nobody needs it any more.
template<class T, class Destroy>
std::shared_ptr<T> owned(T* made, Destroy destroy)
{
    return {made, destroy};
}
// A library's handle, one for the whole program: making it allocates device memory.
template<class T, class Create, class Destroy>
std::shared_ptr<T> handle_of(Create create, Destroy destroy, const char* call)
{
    T* handle = nullptr;
    check(create(&handle), call);
    return owned(handle, destroy);
}
int as_int(std::size_t size)
{
    if (size > INT_MAX)
        throw std::length_error(fmt::format("cuBLAS takes sides below 2^31, and {} is one.", size));
    return static_cast<int>(size);
}
// To cuBLAS, a matrix that lies row by row is the transpose of one that lies column by column.
cublasOperation_t operation_of(const DenseOperands& m)
{
    return m.by_rows ? CUBLAS_OP_T : CUBLAS_OP_N;
}
auto layout(cudaDataType_t type, std::size_t rows, std::size_t columns, std::size_t pitch)
{
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, type, rows, columns, static_cast<std::int64_t>(pitch)),
          "cublasLtMatrixLayoutCreate");
    return owned(made, cublasLtMatrixLayoutDestroy);
}

} // namespace

std::string lack_of_libraries()
{
    return {};
}

common::Launch sgemv(const DenseOperands& m)
{
    return [m](cudaStream_t stream) {
        static const auto handle =
            handle_of<cublasContext>(cublasCreate, cublasDestroy, "cublasCreate");
        check(cublasSetStream(handle.get(), stream), "cublasSetStream");
        check(cublasSgemv(handle.get(), operation_of(m), as_int(m.by_rows ? m.columns : m.rows),
                          as_int(m.by_rows ? m.rows : m.columns), &one,
                          static_cast<const float*>(m.a), as_int(m.pitch),
                          static_cast<const float*>(m.x), 1, &zero, m.c, 1),
              "cublasSgemv");
    };
}

std::vector<common::Launch> lt_matmuls(const DenseOperands& m)
{
    static const auto handle =
        handle_of<cublasLtContext>(cublasLtCreate, cublasLtDestroy, "cublasLtCreate");
    const cudaDataType_t type = m.floats ? CUDA_R_32F : CUDA_R_16BF;
    cublasLtMatmulDesc_t made = nullptr;
    check(cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    const auto product = owned(made, cublasLtMatmulDescDestroy);
    const cublasOperation_t operation = operation_of(m);
    check(cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_TRANSA, &operation,
                                         sizeof operation),
          "cublasLtMatmulDescSetAttribute");
    const auto a = m.by_rows ? layout(type, m.columns, m.rows, m.pitch)
                             : layout(type, m.rows, m.columns, m.pitch);
    const auto x = layout(type, m.columns, 1, m.columns);
    const auto c = layout(CUDA_R_32F, m.rows, 1, m.rows);
    cublasLtMatmulPreference_t preferred = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preferred), "cublasLtMatmulPreferenceCreate");
    const auto preference = owned(preferred, cublasLtMatmulPreferenceDestroy);
    check(cublasLtMatmulPreferenceSetAttribute(preferred, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace_bytes, sizeof workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    std::array<cublasLtMatmulHeuristicResult_t, 8> proposed{};
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle.get(), made, a.get(), x.get(), c.get(), c.get(),
                                         preferred, static_cast<int>(proposed.size()),
                                         proposed.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    const auto workspace = std::make_shared<common::Buffer<std::byte>>(workspace_bytes);
    std::vector<common::Launch> launches;
    for (int k = 0; k < count; ++k) {
        const cublasLtMatmulAlgo_t algorithm = proposed[static_cast<std::size_t>(k)].algo;
        launches.emplace_back([=](cudaStream_t stream) {
            check(cublasLtMatmul(handle.get(), product.get(), &one, m.a, a.get(), m.x, x.get(),
                                 &zero, m.c, c.get(), m.c, c.get(), &algorithm, workspace->data(),
                                 workspace_bytes, stream),
                  "cublasLtMatmul");
        });
    }
    return launches;
}

std::vector<common::Launch> sparse_products(const SparseRows& p)
{
    static const auto handle =
        handle_of<cusparseContext>(cusparseCreate, cusparseDestroy, "cusparseCreate");
    const auto rows = static_cast<std::int64_t>(p.rows);
    cusparseDnVecDescr_t vector = nullptr;
    check(cusparseCreateDnVec(&vector, rows, const_cast<float*>(p.x), CUDA_R_32F),
          "cusparseCreateDnVec");
    const auto x = owned(vector, cusparseDestroyDnVec);
    check(cusparseCreateDnVec(&vector, rows, p.c, CUDA_R_32F), "cusparseCreateDnVec");
    const auto c = owned(vector, cusparseDestroyDnVec);
    std::vector<common::Launch> launches;
    for (const auto algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
        // What preprocessing finds is kept with the matrix: each algorithm has its own.
        cusparseSpMatDescr_t matrix = nullptr;
        check(cusparseCreateCsr(&matrix, rows, rows, static_cast<std::int64_t>(p.count),
                                const_cast<unsigned*>(p.start), const_cast<unsigned*>(p.column),
                                const_cast<float*>(p.value), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
              "cusparseCreateCsr");
        const auto a = owned(matrix, cusparseDestroySpMat);
        constexpr auto whole = CUSPARSE_OPERATION_NON_TRANSPOSE;
        std::size_t bytes = 0;
        check(cusparseSpMV_bufferSize(handle.get(), whole, &one, a.get(), x.get(), &zero, c.get(),
                                      CUDA_R_32F, algorithm, &bytes),
              "cusparseSpMV_bufferSize");
        const auto scratch =
            std::make_shared<common::Buffer<std::byte>>(std::max(bytes, std::size_t{1}));
        check(cusparseSpMV_preprocess(handle.get(), whole, &one, a.get(), x.get(), &zero, c.get(),
                                      CUDA_R_32F, algorithm, scratch->data()),
              "cusparseSpMV_preprocess");
        launches.emplace_back([=](cudaStream_t stream) {
            check(cusparseSetStream(handle.get(), stream), "cusparseSetStream");
            check(cusparseSpMV(handle.get(), whole, &one, a.get(), x.get(), &zero, c.get(),
                               CUDA_R_32F, algorithm, scratch->data()),
                  "cusparseSpMV");
        });
    }
    return launches;
}

common::Launch fastest(const std::vector<common::Launch>& launches)
{
    if (launches.empty())
        throw std::runtime_error("cublasLt proposes no algorithm for this matrix.");
    const common::Buffer<std::byte> cold(std::size_t{256} << 20); // more than an L2 holds
    const common::Event start;
    const common::Event stop;
    const auto median = [&](const common::Launch& launch) {
        std::array<double, 5> times{};
        for (double& time : times) {
            CHECK_CUDA(cudaMemsetAsync(cold.data(), 0, cold.bytes(), nullptr));
            start.record(nullptr);
            launch(nullptr);
            stop.record(nullptr);
            stop.synchronize();
            time = stop.milliseconds_since(start);
        }
        std::sort(times.begin(), times.end());
        return times[2];
    };
    std::vector<double> times;
    for (const common::Launch& launch : launches)
        times.push_back(median(launch));
    return launches[static_cast<std::size_t>(std::min_element(times.begin(), times.end()) -
                                             times.begin())];
}

#else

std::string lack_of_libraries()
{
    return "built without cuBLAS and cuSPARSE";
}
common::Launch sgemv(const DenseOperands&)
{
    return {};
}
std::vector<common::Launch> lt_matmuls(const DenseOperands&)
{
    return {};
}
std::vector<common::Launch> sparse_products(const SparseRows&)
{
    return {};
}
common::Launch fastest(const std::vector<common::Launch>&)
{
    return {};
}

#endif
