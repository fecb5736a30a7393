/// \file
/// Half precision: 5 bits of exponent, 10 of mantissa.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/half.hpp"

#include "cuda_runtime.h"

#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

CPU_DEVICE_HALF(__half, __half2, to_half_bits, from_half_bits)
CPU_DEVICE_HALF_CONVERSIONS(__half, __half2, half, half2, to_half_bits)
using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
