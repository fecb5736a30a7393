/// \file
/// cuSPARSE: its types, and the calls that only manage.
/// Names and values are the library's. What would compute is refused when it is called
/// (library.hpp).
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/library.hpp"
#include "cuComplex.h"
#include "library_types.h"

#define CUSPARSE_H_
#define CUSPARSEAPI

enum cusparseStatus_t
{
    CUSPARSE_STATUS_SUCCESS,
    CUSPARSE_STATUS_NOT_INITIALIZED,
    CUSPARSE_STATUS_ALLOC_FAILED,
    CUSPARSE_STATUS_INVALID_VALUE,
    CUSPARSE_STATUS_ARCH_MISMATCH,
    CUSPARSE_STATUS_MAPPING_ERROR,
    CUSPARSE_STATUS_EXECUTION_FAILED,
    CUSPARSE_STATUS_INTERNAL_ERROR,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    CUSPARSE_STATUS_ZERO_PIVOT,
    CUSPARSE_STATUS_NOT_SUPPORTED,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
};

enum cusparsePointerMode_t
{
    CUSPARSE_POINTER_MODE_HOST,
    CUSPARSE_POINTER_MODE_DEVICE
};

enum cusparseAction_t
{
    CUSPARSE_ACTION_SYMBOLIC,
    CUSPARSE_ACTION_NUMERIC
};

enum cusparseMatrixType_t
{
    CUSPARSE_MATRIX_TYPE_GENERAL,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC,
    CUSPARSE_MATRIX_TYPE_HERMITIAN,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR
};

enum cusparseFillMode_t
{
    CUSPARSE_FILL_MODE_LOWER,
    CUSPARSE_FILL_MODE_UPPER
};

enum cusparseDiagType_t
{
    CUSPARSE_DIAG_TYPE_NON_UNIT,
    CUSPARSE_DIAG_TYPE_UNIT
};

enum cusparseIndexBase_t
{
    CUSPARSE_INDEX_BASE_ZERO,
    CUSPARSE_INDEX_BASE_ONE
};

enum cusparseOperation_t
{
    CUSPARSE_OPERATION_NON_TRANSPOSE,
    CUSPARSE_OPERATION_TRANSPOSE,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
};

enum cusparseDirection_t
{
    CUSPARSE_DIRECTION_ROW,
    CUSPARSE_DIRECTION_COLUMN
};

enum cusparseCsr2CscAlg_t
{
    CUSPARSE_CSR2CSC_ALG_DEFAULT = 1,
    CUSPARSE_CSR2CSC_ALG1 = 1
};

enum cusparseFormat_t
{
    CUSPARSE_FORMAT_CSR = 1,
    CUSPARSE_FORMAT_CSC,
    CUSPARSE_FORMAT_COO,
    CUSPARSE_FORMAT_BLOCKED_ELL = 5,
    CUSPARSE_FORMAT_BSR,
    CUSPARSE_FORMAT_SLICED_ELLPACK
};

enum cusparseOrder_t
{
    CUSPARSE_ORDER_COL = 1,
    CUSPARSE_ORDER_ROW
};

enum cusparseIndexType_t
{
    CUSPARSE_INDEX_16U = 1,
    CUSPARSE_INDEX_32I,
    CUSPARSE_INDEX_64I
};

enum cusparseSpMatAttribute_t
{
    CUSPARSE_SPMAT_FILL_MODE,
    CUSPARSE_SPMAT_DIAG_TYPE
};

enum cusparseSparseToDenseAlg_t
{
    CUSPARSE_SPARSETODENSE_ALG_DEFAULT
};

enum cusparseDenseToSparseAlg_t
{
    CUSPARSE_DENSETOSPARSE_ALG_DEFAULT
};

enum cusparseSpMVAlg_t
{
    CUSPARSE_SPMV_ALG_DEFAULT,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_COO_ALG2 = 4,
    CUSPARSE_SPMV_SELL_ALG1,
    CUSPARSE_SPMV_BSR_ALG1
};

enum cusparseSpSVAlg_t
{
    CUSPARSE_SPSV_ALG_DEFAULT
};

enum cusparseSpSVUpdate_t
{
    CUSPARSE_SPSV_UPDATE_GENERAL,
    CUSPARSE_SPSV_UPDATE_DIAGONAL
};

enum cusparseSpSMAlg_t
{
    CUSPARSE_SPSM_ALG_DEFAULT
};

enum cusparseSpSMUpdate_t
{
    CUSPARSE_SPSM_UPDATE_GENERAL,
    CUSPARSE_SPSM_UPDATE_DIAGONAL
};

enum cusparseSpMMAlg_t
{
    CUSPARSE_SPMM_ALG_DEFAULT,
    CUSPARSE_SPMM_COO_ALG1,
    CUSPARSE_SPMM_COO_ALG2,
    CUSPARSE_SPMM_COO_ALG3,
    CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG1 = 4,
    CUSPARSE_SPMM_CSR_ALG2 = 6,
    CUSPARSE_SPMM_CSR_ALG3 = 12,
    CUSPARSE_SPMM_BLOCKED_ELL_ALG1,
    CUSPARSE_SPMM_BSR_ALG1
};

enum cusparseSpGEMMAlg_t
{
    CUSPARSE_SPGEMM_DEFAULT,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC,
    CUSPARSE_SPGEMM_ALG1,
    CUSPARSE_SPGEMM_ALG2,
    CUSPARSE_SPGEMM_ALG3
};

enum cusparseSDDMMAlg_t
{
    CUSPARSE_SDDMM_ALG_DEFAULT
};

enum cusparseSpMMOpAlg_t
{
    CUSPARSE_SPMM_OP_ALG_DEFAULT
};

using cusparseHandle_t = struct cusparseContext*;
using cusparseMatDescr_t = struct cusparseMatDescr*;
using cusparseSpVecDescr_t = struct cusparseSpVecDescr*;
using cusparseDnVecDescr_t = struct cusparseDnVecDescr*;
using cusparseSpMatDescr_t = struct cusparseSpMatDescr*;
using cusparseDnMatDescr_t = struct cusparseDnMatDescr*;

inline constexpr cpu_device::ManagingCall<cusparseStatus_t> cusparseDestroy, cusparseSetStream,
    cusparseSetPointerMode, cusparseDestroyMatDescr, cusparseSetMatType, cusparseSetMatIndexBase,
    cusparseDestroySpMat, cusparseDestroyDnVec, cusparseDestroyDnMat;
inline constexpr cpu_device::CreatingCall<cusparseStatus_t> cusparseCreate;
inline constexpr cpu_device::CreatingCall<cusparseStatus_t> cusparseCreateMatDescr;
