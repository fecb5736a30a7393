/// \file
/// The driver API runs on a GPU only; programs that include this header for its version and its
/// handle types compile.
#pragma once
#pragma GCC system_header

#include <cuda_runtime.h>

#define CUDA_VERSION CUDART_VERSION
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
