/// \file
/// Attributes and occupancy of the device in use.
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

/// The minimum of blocks per SM for a kernel's __launch_bounds__: `blocks` if an SM of the
/// architecture that is compiled for can hold so many blocks of `threads` threads, otherwise 1.
[[nodiscard]] constexpr unsigned bound_blocks(unsigned blocks, unsigned threads)
{
#ifdef __CUDA_ARCH__
    constexpr unsigned arch = __CUDA_ARCH__;
    constexpr bool large =
        arch == 800 || arch == 870 || arch == 900 || arch == 1000 || arch == 1030;
    constexpr unsigned thread_limit = arch < 800 ? 1024 : large ? 2048 : 1536; // per SM
    constexpr unsigned block_limit = large && arch != 870 ? 32 : 16;           // per SM
    return blocks <= block_limit && blocks * threads <= thread_limit ? blocks : 1;
#else
    return threads > 0 ? blocks : 1;
#endif
}

/// Number of blocks of a kernel that are resident on an SM, with `threads` threads and `shared`
/// bytes of dynamic shared memory each. Throws CudaError.
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
