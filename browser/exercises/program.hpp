/// \file
/// What stands in front of every program that is compiled in a browser, precompiled there: what
/// own_program/CMakeLists.txt has in front of a reader's file, with the place that a browser's
/// linker gives to shared memory.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH_LIST__ 900
#include "browser/exercises/heap.hpp"
// What these inline has the line of who calls it.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include <cpu_device/detail/kernel_call.hpp>
#include <cuda_runtime.h>
#pragma clang attribute pop

#undef __shared__
#define __shared__ static __attribute__((section("cpu_device_shared")))
