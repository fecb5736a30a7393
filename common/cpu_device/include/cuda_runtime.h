/// \file
/// CUDA C++ on the CPU device: kernels' language and the runtime API.
#pragma once
#pragma GCC system_header

#include "cpu_device/runtime_api.hpp"

#include "cpu_device/builtins.hpp"

#include "cpu_device/atomics.hpp"
#include "cpu_device/cached_access.hpp"
#include "cpu_device/device_functions.hpp"
#include "cpu_device/kernel_call.hpp"
#include "cpu_device/math.hpp"
#include "cpu_device/warp.hpp"
