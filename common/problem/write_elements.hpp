/// \file
/// Device memory whose elements the host knows.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/verify.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace common {

/// Writes element(i) to each of the n elements at `device`, unless initialization is skipped.
/// `element` is called from several threads. Throws CudaError.
template<class T, class Function>
void write_elements(T* device, std::size_t n, Function element)
{
    if (skips_initialization())
        return;
    constexpr std::size_t grain = 1 << 16;
    const Buffer<T> staging(std::min(n, std::size_t{1} << 23U), MemoryKind::pinned);
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

/// Allocates n elements of device memory and calls write_elements() for them. Throws CudaError.
template<class T, class Function>
[[nodiscard]] Buffer<T> buffer_of(std::size_t n, Function element)
{
    Buffer<T> buffer(n);
    write_elements(buffer.data(), n, std::move(element));
    return buffer;
}

/// Allocates device memory and copies the elements of `host` to it. Throws CudaError.
template<class T>
[[nodiscard]] Buffer<T> buffer_of(const std::vector<T>& host)
{
    Buffer<T> buffer(host.size());
    CHECK_CUDA(cudaMemcpy(buffer.data(), host.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

} // namespace common
