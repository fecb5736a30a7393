/// \file
/// cuBLASLt: its types, and the calls that only manage.
/// Names and values are the library's. What would compute is refused when it is called
/// (library.hpp).
#pragma once
#pragma GCC system_header

#include "cublas_v2.h"
#include <cstdint>

enum cublasLtMatmulDescAttributes_t
{
    CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_TRANSB,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER
};

enum cublasLtEpilogue_t
{
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_RELU,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS,
    CUBLASLT_EPILOGUE_GELU = 32,
    CUBLASLT_EPILOGUE_GELU_BIAS = CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS
};

enum cublasLtMatmulPreferenceAttributes_t
{
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1
};

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

inline constexpr cpu_device::ManagingCall<cublasStatus_t> cublasLtDestroy;
inline constexpr cpu_device::CreatingCall<cublasStatus_t> cublasLtCreate;
