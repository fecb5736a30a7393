/// \file
/// The driver API runs on a GPU only; programs that include this header for its version compile.
#pragma once
#pragma GCC system_header

#include <cuda_runtime.h>

#define CUDA_VERSION CUDART_VERSION
