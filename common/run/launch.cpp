#include "common/run/launch.hpp"

#include "common/device/attribute.hpp"
#include "common/device/device.hpp"
#include "common/report/results.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace common {

void throw_too_many_blocks(std::size_t count)
{
    throw std::length_error(fmt::format("A grid has at most {} blocks, and {} were requested; try "
                                        "a smaller --n, such as --n 1Gi.",
                                        format_count(max_blocks), format_count(count)));
}

dim3 grid(std::size_t width, std::size_t height, std::size_t block_width, std::size_t block_height)
{
    const unsigned y = blocks(height, block_height);
    if (y > max_blocks_y)
        throw std::length_error(fmt::format(
            "A grid has at most {} blocks in its second dimension, and {} were requested: {} "
            "elements, {} per block; let the first dimension, which takes {}, run along them.",
            format_count(max_blocks_y), format_count(y), format_count(height),
            format_count(block_height), format_count(max_blocks)));
    return {blocks(width, block_width), y, 1};
}

std::string lack_of_shared_memory(std::size_t bytes)
{
    const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return bytes + 1024 <= most
               ? ""
               : fmt::format("a block has {} KiB of shared memory, and {} are needed", most / 1024,
                             bytes / 1024 + 1);
}

Lazy<std::string> needs_compute_capability(int major, std::size_t shared)
{
    return [major, shared]() -> std::string {
        if (backend() == Backend::cpu)
            return gpu_only_note;
        return static_cast<int>(attribute(cudaDevAttrComputeCapabilityMajor)) >= major
                   ? lack_of_shared_memory(shared)
                   : fmt::format("needs compute capability {}.0", major);
    };
}

} // namespace common
