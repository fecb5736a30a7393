/// \file
/// Device memory whose elements the host knows.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/parallel.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

namespace common {

/// Writes element(i) to each of the n elements at `device`. `element` is called from several
/// threads. Throws CudaError.
template<class T, class Function>
void write_elements(T* device, std::size_t n, Function element)
{
    constexpr std::size_t grain = 1 << 16;
    const Buffer<T> staging(std::min(n, std::size_t{1} << 23U), Space::pinned);
    for (std::size_t first = 0; first < n; first += staging.size()) {
        const std::size_t count = std::min(staging.size(), n - first);
        parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k)
                staging.data()[k] = element(first + k);
        });
        CHECK_CUDA(
            cudaMemcpy(device + first, staging.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
}

} // namespace common
