/// \file
/// The profiler's switch, which nothing listens to here.
#pragma once

#include <cuda_runtime_api.h>

CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStart, (), cudaSuccess)
CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStop, (), cudaSuccess)
