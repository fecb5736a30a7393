/// \file
/// cuBLAS and cuBLASLt: their types, and the calls that only manage. Names and values are the
/// library's. A call that would compute, `cublasSgemm(...)`, is a macro that refuses it.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <cstdint>
#include <type_traits>

namespace cpu_device {

/// Ends the process with status 4, after a sentence that names the call, its line and the library.
[[noreturn]] void refuse_library_call(const char* name, const char* file, int line);

} // namespace cpu_device

#define __LIBRARY_TYPES_H__
#define CUBLAS_API_H_

enum cudaDataType
{
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_16BF = 14
};

/// All constants of the library: what takes them here looks at none.
enum cublasStatus_t
{
    CUBLAS_STATUS_SUCCESS,
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_TRANSB = 4,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_GELU = 32,
    CUBLASLT_EPILOGUE_GELU_BIAS = CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS,
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1
};
using cublasOperation_t = cublasStatus_t;
using cublasGemmAlgo_t = cublasStatus_t;
using cublasMath_t = cublasStatus_t;
using cublasComputeType_t = cublasStatus_t;
using cublasLtEpilogue_t = cublasStatus_t;

using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;
struct cublasLtMatmulAlgo_t
{
    std::uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t
{
    cublasLtMatmulAlgo_t algo;
    std::size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
};

using cublasHandle_t = struct cublasContext*;
using cudaDataType_t = cudaDataType;
using cublasDataType_t = cudaDataType;

// They succeed, whatever they are given; a handle is no null pointer.
inline constexpr auto cublasDestroy = [](const auto&...) { return CUBLAS_STATUS_SUCCESS; };
inline constexpr auto cublasSetStream = cublasDestroy, cublasSetMathMode = cublasDestroy,
                      cublasLtDestroy = cublasDestroy;
inline constexpr auto cublasCreate = [](auto** handle, const auto&...) {
    *handle = reinterpret_cast<std::decay_t<decltype(*handle)>>(sizeof handle);
    return CUBLAS_STATUS_SUCCESS;
};
inline constexpr auto cublasLtCreate = cublasCreate;
CPU_DEVICE_FUNCTION(const char*, cublasGetStatusString, (cublasStatus_t status),
                    status == CUBLAS_STATUS_SUCCESS ? "success" : "error")

#define CPU_DEVICE_LACKS(call)                                                                     \
    ([](const auto&...) -> cublasStatus_t {                                                        \
        ::cpu_device::refuse_library_call(#call, __FILE__, __LINE__);                              \
    })
#define cublasSgemm CPU_DEVICE_LACKS(cublasSgemm)
#define cublasSgemmStridedBatched CPU_DEVICE_LACKS(cublasSgemmStridedBatched)
#define cublasGemmStridedBatchedEx CPU_DEVICE_LACKS(cublasGemmStridedBatchedEx)
#define cublasSgemv CPU_DEVICE_LACKS(cublasSgemv)
#define cublasSgeam CPU_DEVICE_LACKS(cublasSgeam)
#define cublasLtMatmul CPU_DEVICE_LACKS(cublasLtMatmul)
#define cublasLtMatmulAlgoGetHeuristic CPU_DEVICE_LACKS(cublasLtMatmulAlgoGetHeuristic)
#define cublasLtMatmulDescCreate CPU_DEVICE_LACKS(cublasLtMatmulDescCreate)
#define cublasLtMatmulDescDestroy CPU_DEVICE_LACKS(cublasLtMatmulDescDestroy)
#define cublasLtMatmulDescSetAttribute CPU_DEVICE_LACKS(cublasLtMatmulDescSetAttribute)
#define cublasLtMatmulPreferenceCreate CPU_DEVICE_LACKS(cublasLtMatmulPreferenceCreate)
#define cublasLtMatmulPreferenceDestroy CPU_DEVICE_LACKS(cublasLtMatmulPreferenceDestroy)
#define cublasLtMatmulPreferenceSetAttribute CPU_DEVICE_LACKS(cublasLtMatmulPreferenceSetAttribute)
#define cublasLtMatrixLayoutCreate CPU_DEVICE_LACKS(cublasLtMatrixLayoutCreate)
#define cublasLtMatrixLayoutDestroy CPU_DEVICE_LACKS(cublasLtMatrixLayoutDestroy)
#define cublasLtMatrixLayoutSetAttribute CPU_DEVICE_LACKS(cublasLtMatrixLayoutSetAttribute)
