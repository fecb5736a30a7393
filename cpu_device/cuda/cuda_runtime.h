/// \file
/// CUDA C++ on the CPU device: kernels' language and the runtime API.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/runtime_api.hpp"

#include "cpu_device/detail/builtins.hpp"

#include "cpu_device/detail/atomics.hpp"
#include "cpu_device/detail/device_functions.hpp"
#include "cpu_device/detail/kernel_call.hpp"
#include "cpu_device/detail/math.hpp"
#include "cpu_device/detail/warp.hpp"

#define __CUDA_RUNTIME_H__ // what helpers of samples request
#define __DEVICE_LAUNCH_PARAMETERS_H__
