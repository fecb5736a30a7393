/// \file
/// cuFFT: its types, and the calls that only manage.
/// Names and values are the library's. What would compute is refused when it is called
/// (library.hpp).
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/library.hpp"
#include "cuComplex.h"
#include "library_types.h"

#define _CUFFT_H_
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

enum cufftResult_t
{
    CUFFT_SUCCESS,
    CUFFT_INVALID_PLAN,
    CUFFT_ALLOC_FAILED,
    CUFFT_INVALID_TYPE,
    CUFFT_INVALID_VALUE,
    CUFFT_INTERNAL_ERROR,
    CUFFT_EXEC_FAILED,
    CUFFT_SETUP_FAILED,
    CUFFT_INVALID_SIZE,
    CUFFT_UNALIGNED_DATA,
    CUFFT_INVALID_DEVICE = 0xB,
    CUFFT_NO_WORKSPACE = 0xD,
    CUFFT_NOT_IMPLEMENTED,
    CUFFT_NOT_SUPPORTED = 0x10,
    CUFFT_MISSING_DEPENDENCY,
    CUFFT_NVRTC_FAILURE,
    CUFFT_NVJITLINK_FAILURE,
    CUFFT_NVSHMEM_FAILURE
};

enum cufftType_t
{
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
};

enum cufftCompatibility
{
    CUFFT_COMPATIBILITY_FFTW_PADDING = 0x01
};

using cufftResult = cufftResult_t;
using cufftType = cufftType_t;
using cufftHandle = int;
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = cuComplex;
using cufftDoubleComplex = cuDoubleComplex;

inline constexpr cpu_device::ManagingCall<cufftResult> cufftDestroy, cufftSetStream,
    cufftSetAutoAllocation;
inline constexpr cpu_device::CreatingCall<cufftResult> cufftCreate;
