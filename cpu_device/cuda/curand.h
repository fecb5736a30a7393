/// \file
/// cuRAND for the host: its types, and the calls that only manage.
/// Names and values are the library's. What would compute is refused when it is called
/// (library.hpp).
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/library.hpp"
#include <cstddef>

#define CURAND_H_

enum curandStatus
{
    CURAND_STATUS_SUCCESS,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED,
    CURAND_STATUS_ALLOCATION_FAILED,
    CURAND_STATUS_TYPE_ERROR,
    CURAND_STATUS_OUT_OF_RANGE,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE,
    CURAND_STATUS_INITIALIZATION_FAILED,
    CURAND_STATUS_ARCH_MISMATCH,
    CURAND_STATUS_INTERNAL_ERROR = 999
};

enum curandRngType
{
    CURAND_RNG_TEST,
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
    CURAND_RNG_QUASI_SOBOL64,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64
};

enum curandOrdering
{
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT,
    CURAND_ORDERING_PSEUDO_SEEDED,
    CURAND_ORDERING_PSEUDO_LEGACY,
    CURAND_ORDERING_PSEUDO_DYNAMIC,
    CURAND_ORDERING_QUASI_DEFAULT = 201
};

using curandStatus_t = curandStatus;
using curandRngType_t = curandRngType;
using curandOrdering_t = curandOrdering;
using curandGenerator_t = struct curandGenerator_st*;

inline constexpr cpu_device::ManagingCall<curandStatus_t> curandDestroyGenerator, curandSetStream,
    curandSetPseudoRandomGeneratorSeed, curandSetGeneratorOffset, curandSetGeneratorOrdering,
    curandSetQuasiRandomGeneratorDimensions;
inline constexpr cpu_device::CreatingCall<curandStatus_t> curandCreateGenerator,
    curandCreateGeneratorHost;
