/// \file
/// bfloat16: the upper half of a float.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/half.hpp"

#include "cuda_runtime.h"

#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

CPU_DEVICE_HALF(__nv_bfloat16, __nv_bfloat162, to_bfloat16_bits, from_bfloat16_bits)
CPU_DEVICE_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, to_bfloat16_bits)
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
