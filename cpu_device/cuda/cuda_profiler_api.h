/// \file
/// The profiler's switch, which nothing listens to here.
#pragma once

#include "cpu_device/detail/runtime_api.hpp"

CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStart, (), cudaSuccess)
CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStop, (), cudaSuccess)
