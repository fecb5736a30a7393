/// \file
/// What stands in front of a chapter that is compiled for a browser, precompiled there: what every
/// chapter includes, with the place that a browser's linker gives to shared memory.
#include "browser/exercises/heap.hpp"
#include "browser/exercises/library.hpp"
// What these inline has the line of who calls it.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include <cpu_device/detail/kernel_call.hpp>
#include <cuda_runtime.h>
#pragma clang attribute pop

#undef __shared__
#define __shared__ static __attribute__((section("cpu_device_shared")))
#include "common/chapter.hpp"
