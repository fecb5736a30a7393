/// \file
/// Rows that count values in counters of which several blocks have a share each.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/problem/histogram.hpp"
#include "common/run/chapter.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace common {

/// A row of a histogram of words, as a chapter declares it.
struct ShareRow
{
    const char* name;        ///< Variant::name
    unsigned threads = 0;    ///< of a block
    unsigned blocks = 0;     ///< that have all counters of a pass, a share each; 0: none has any
    unsigned passes = 1;     ///< over the elements, each with as many counters
    bool cluster = false;    ///< whether these blocks are a cluster
    std::size_t besides = 0; ///< bytes of shared memory that a block needs besides its counters
    bool full = false;       ///< Variant::full
};

/// What all rows of such a problem have in common: the columns `counters` and `values`.
[[nodiscard]] Variant share_variant(const Histogram<unsigned>& p, bool full);

/// Runs launch(grid, bytes, stream), where `bytes` of shared memory hold a block's counters and
/// what it needs besides, and `grid` blocks stay: as many groups of row.blocks as there is room
/// for, which is room(bytes) blocks, but each with a quarter as many elements to count, at least,
/// as there are counters.
template<class Room, class LaunchKernel>
void run_share_row(Chapter& chapter, Histogram<unsigned>& p, const ShareRow& row, Room room,
                   LaunchKernel launch)
{
    const std::size_t blocks = std::max(row.blocks, 1u);
    const std::size_t counters = row.blocks == 0 ? 0 : p.bins / row.passes / blocks;
    const std::size_t bytes = counters * sizeof(unsigned) + row.besides;
    unsigned grid = 0;
    Variant variant = share_variant(p, row.full);
    variant.name = row.name;
    variant.threads = row.threads;
    variant.unmodelled = "turns depend on the values, and its sample of the blocks has no values";
    if (row.blocks > 0)
        variant.columns.push_back({"blocks", row.blocks});
    variant.unavailable = [&, bytes]() -> std::string {
        if (std::string old = needs_compute_capability(9)(); row.cluster && !old.empty())
            return old;
        if (std::string lack = lack_of_shared_memory(bytes); !lack.empty())
            return lack;
        return room(bytes) > 0 ? "" : "no " + std::to_string(blocks) + " such blocks have room";
    };
    variant.setup = [&] {
        const std::size_t least =
            std::max(row.blocks == 0 ? 0 : p.bins / 4, 4 * blocks * std::size_t{row.threads});
        const std::size_t groups =
            std::max(std::min(p.n / least, room(bytes) / blocks), std::size_t{1});
        grid = static_cast<unsigned>(groups * blocks);
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.bins * sizeof *p.c, stream));
        launch(grid, bytes, stream);
    });
}

//! [clusters]
/// A launch of `grid` blocks, of which `blocks` neighbours each are a cluster.
class ClusterLaunch
{
  public:
    /// Blocks of `threads` with `bytes` of dynamic shared memory each.
    ClusterLaunch(unsigned grid, unsigned threads, unsigned blocks, std::size_t bytes,
                  cudaStream_t stream)
    {
        attribute_.id = cudaLaunchAttributeClusterDimension;
        attribute_.val.clusterDim.x = blocks;
        attribute_.val.clusterDim.y = 1;
        attribute_.val.clusterDim.z = 1;
        configuration_ = {.gridDim = grid,
                          .blockDim = threads,
                          .dynamicSmemBytes = bytes,
                          .stream = stream,
                          .attrs = &attribute_,
                          .numAttrs = 1};
    }
    ClusterLaunch(const ClusterLaunch&) = delete;
    ClusterLaunch& operator=(const ClusterLaunch&) = delete;

    /// Launches. Throws CudaError.
    template<class... Parameters>
    void operator()(void (*kernel)(Parameters...), Parameters... arguments) const
    {
        CHECK_CUDA(cudaLaunchKernelEx(&configuration_, kernel, arguments...));
    }
    /// Clusters of such blocks that the device can hold. Throws CudaError.
    template<class Kernel>
    [[nodiscard]] unsigned clusters(Kernel kernel) const
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
    cudaLaunchAttribute attribute_{};
    cudaLaunchConfig_t configuration_{};
};
//! [clusters]

/// Runs kernel(a, c, n, down, share) in clusters of row.blocks, where the value of an element is
/// what is left without its lower `down` bits, and a block has `share` counters.
template<class Kernel>
void run_cluster_row(Chapter& chapter, Histogram<unsigned>& p, ShareRow row, Kernel kernel)
{
    row.cluster = true;
    const auto room = [=](std::size_t bytes) {
        return row.blocks *
               ClusterLaunch(row.blocks, row.threads, row.blocks, bytes, nullptr).clusters(kernel);
    };
    run_share_row(chapter, p, row, room,
                  [=, &p](unsigned grid, std::size_t bytes, cudaStream_t stream) {
                      const ClusterLaunch launch(grid, row.threads, row.blocks, bytes, stream);
                      launch(kernel, static_cast<const unsigned*>(p.a), p.c, p.n, 32 - p.bits,
                             static_cast<unsigned>(p.bins) / row.blocks);
                  });
}

} // namespace common
