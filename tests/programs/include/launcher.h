// A header that only the include path finds, with a kernel and its launch.
#pragma once
#include "once.h"
template <typename T>
__global__ void add_to_all(T* data, T value) { data[blockIdx.x * blockDim.x + threadIdx.x] += value; }
template <typename T>
void launch_add(T* data, int blocks, Once once) { add_to_all<T><<<blocks, 32>>>(data, T(once.value)); }
