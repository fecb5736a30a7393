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

/// What the launch bounds of a kernel may request: `blocks` of `threads` threads on an
/// SM, where the architecture that is compiled for can hold so many, and else one.
[[nodiscard]] constexpr unsigned bound_blocks(unsigned blocks, unsigned threads)
{
#ifdef __CUDA_ARCH__
    constexpr unsigned arch = __CUDA_ARCH__;
    constexpr bool large =
        arch == 800 || arch == 870 || arch == 900 || arch == 1000 || arch == 1030;
    constexpr unsigned room = arch < 800 ? 1024 : large ? 2048 : 1536; // threads
    constexpr unsigned most = large && arch != 870 ? 32 : 16;          // blocks
    return blocks <= most && blocks * threads <= room ? blocks : 1;
#else
    return threads > 0 ? blocks : 1;
#endif
}

/// Blocks of `threads` threads and `shared` bytes that an SM can hold of a kernel.
/// Throws CudaError.
template<class Kernel>
[[nodiscard]] unsigned resident_blocks(Kernel kernel, unsigned threads, std::size_t shared = 0)
{
    int blocks = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                             static_cast<int>(threads), shared));
    return static_cast<unsigned>(blocks);
}

/// Grid size of a persistent kernel: the number of its blocks that are resident on all SMs at once,
/// at most `per_sm` per SM. Raises the kernel's limit of dynamic shared memory to `shared` bytes.
/// Throws CudaError.
template<class Kernel>
[[nodiscard]] unsigned persistent_grid_blocks(Kernel kernel, unsigned threads,
                                              std::size_t shared = 0, unsigned per_sm = ~0U)
{
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)));
    return std::min(per_sm, resident_blocks(kernel, threads, shared)) *
           attribute(cudaDevAttrMultiProcessorCount);
}

} // namespace common
