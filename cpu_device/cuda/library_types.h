/// \file
/// The data types that CUDA's libraries name. Names and values are the libraries'.
#pragma once
#pragma GCC system_header

#define __LIBRARY_TYPES_H__

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
