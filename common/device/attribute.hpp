/// \file
/// What the device in use can hold.
#pragma once

#include "common/device/check.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

namespace common {

/// An attribute of the device in use. Throws CudaError.
[[nodiscard]] inline unsigned attribute(cudaDeviceAttr which)
{
    int device = 0;
    int value = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return static_cast<unsigned>(value);
}

/// Blocks of `threads` threads and `shared` bytes that a multiprocessor can hold of a kernel.
/// Throws CudaError.
template<class Kernel>
[[nodiscard]] unsigned resident_blocks(Kernel kernel, unsigned threads, std::size_t shared = 0)
{
    int blocks = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                             static_cast<int>(threads), shared));
    return static_cast<unsigned>(blocks);
}

/// Blocks of a grid that stays from the beginning of its work to the end: as many of such blocks as
/// all multiprocessors hold of a kernel, and no more than `each` on one. Allows the kernel so much
/// shared memory. Throws CudaError.
template<class Kernel>
[[nodiscard]] unsigned staying_blocks(Kernel kernel, unsigned threads, std::size_t shared = 0,
                                      unsigned each = ~0U)
{
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)));
    return std::min(each, resident_blocks(kernel, threads, shared)) *
           attribute(cudaDevAttrMultiProcessorCount);
}

} // namespace common
