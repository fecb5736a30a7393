// A launch of thread block clusters, and how many clusters are resident at once.
#pragma once

#include "common/chapter.hpp"

// A launch of `grid` blocks of `threads` threads with `bytes` of dynamic shared memory, in clusters
// of `blocks` adjacent blocks.
class ClusterLaunch
{
  public:
    ClusterLaunch(unsigned grid, unsigned threads, unsigned blocks, std::size_t bytes,
                  cudaStream_t stream)
    {
        size_.id = cudaLaunchAttributeClusterDimension;
        size_.val.clusterDim.x = blocks;
        size_.val.clusterDim.y = 1;
        size_.val.clusterDim.z = 1;
        configuration_ = {.gridDim = grid,
                          .blockDim = threads,
                          .dynamicSmemBytes = bytes,
                          .stream = stream,
                          .attrs = &size_,
                          .numAttrs = 1};
    }
    ClusterLaunch(const ClusterLaunch&) = delete;
    ClusterLaunch& operator=(const ClusterLaunch&) = delete;

    // Launches the kernel.
    template<class... Parameters>
    void operator()(void (*kernel)(Parameters...), Parameters... arguments) const
    {
        CHECK_CUDA(cudaLaunchKernelEx(&configuration_, kernel, arguments...));
    }
    // Returns how many clusters of the kernel are resident at once, after raising its limits of
    // dynamic shared memory and of the cluster size.
    template<class Kernel>
    [[nodiscard]] unsigned resident_clusters(Kernel kernel) const
    {
        int count = 0;
#ifdef __CUDACC__ // the CPU device has no clusters
        CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(configuration_.dynamicSmemBytes)));
        CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        CHECK_CUDA(cudaOccupancyMaxActiveClusters(&count, kernel, &configuration_));
#else
        static_cast<void>(kernel);
#endif
        return static_cast<unsigned>(count);
    }

  private:
    cudaLaunchAttribute size_{};
    cudaLaunchConfig_t configuration_{};
};
