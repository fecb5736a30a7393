/// \file
/// cuBLAS: its types, and the calls that only manage.
/// Names and values are the library's. What would compute is refused when it is called
/// (library.hpp).
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/library.hpp"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __LIBRARY_TYPES_H__
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#define CUBLASAPI

enum cudaDataType
{
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
    CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2 = 29
};
using cudaDataType_t = cudaDataType;

enum cublasStatus_t
{
    CUBLAS_STATUS_SUCCESS,
    CUBLAS_STATUS_NOT_INITIALIZED,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR,
    CUBLAS_STATUS_NOT_SUPPORTED,
    CUBLAS_STATUS_LICENSE_ERROR
};

enum cublasOperation_t
{
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUBLAS_OP_C
};

enum cublasPointerMode_t
{
    CUBLAS_POINTER_MODE_HOST,
    CUBLAS_POINTER_MODE_DEVICE
};

enum cublasGemmAlgo_t
{
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
};

enum cublasMath_t
{
    CUBLAS_DEFAULT_MATH,
    CUBLAS_TENSOR_OP_MATH,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
};

enum cublasComputeType_t
{
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};

using cublasHandle_t = struct cublasContext*;
using cublasDataType_t = cudaDataType;

inline constexpr cpu_device::ManagingCall<cublasStatus_t> cublasDestroy, cublasDestroy_v2,
    cublasSetStream, cublasSetStream_v2, cublasSetMathMode, cublasGetMathMode, cublasSetPointerMode,
    cublasSetPointerMode_v2, cublasSetWorkspace;
inline constexpr cpu_device::CreatingCall<cublasStatus_t> cublasCreate, cublasCreate_v2;
inline const char* cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "error";
}
inline const char* cublasGetStatusName(cublasStatus_t status)
{
    return cublasGetStatusString(status);
}
