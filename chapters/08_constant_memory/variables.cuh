// A number and a table that lie in variables of the device, and how the host sets the number.
#pragma once

#include "common/chapter.hpp"

constexpr unsigned words = 32; // of a table: one for each lane of a warp

//! [variables]
__device__ float addend;                           // global memory that has a name
alignas(128) __device__ float global_table[words]; // an array in global memory, one cache line
__device__ const float* table;                     // a pointer in global memory, set by the host
__constant__ float constant_table[words]; // written by the host, read through a cache of its own
//! [variables]

//! [symbol]
__global__ void add_variable(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + addend;
    }
}

// To the host, the name of a device variable is no address. It can copy to the name ...
void set_by_name(float value)
{
    CHECK_CUDA(cudaMemcpyToSymbol(addend, &value, sizeof value));
}

// ... or request the address, and use it as any other.
void set_by_address(float value)
{
    void* address = nullptr;
    CHECK_CUDA(cudaGetSymbolAddress(&address, addend));
    CHECK_CUDA(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice));
}
//! [symbol]
