/// \file
/// Whether two stretches of device memory hold the same bits. Plain CUDA, which the CPU device runs
/// in tests/device.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"

#include <cstddef>
#include <cstdint>

namespace common {

/// Sets `*differ` if one of `n` words is not the same in both.
template<class Word>
__global__ void compare_words(const Word* one, const Word* other, std::size_t n, unsigned* differ)
{
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && one[i] != other[i])
        *differ = 1;
}

/// True if `n` words are the same in both. Throws CudaError.
template<class Word>
bool same_words(const void* one, const void* other, std::size_t n)
{
    constexpr unsigned threads = 256;
    // Launches of a grid that every device takes, whatever n is.
    constexpr std::size_t at_once = std::size_t{threads} << 24U;
    const Buffer<unsigned> differ(1);
    CHECK_CUDA(cudaMemset(differ.data(), 0, differ.bytes()));
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t some = n - first < at_once ? n - first : at_once;
        const auto blocks = static_cast<unsigned>((some + threads - 1) / threads);
        compare_words<<<blocks, threads>>>(static_cast<const Word*>(one) + first,
                                           static_cast<const Word*>(other) + first, some,
                                           differ.data());
        check_launch("The launch that compares two arrays");
    }
    unsigned found = 0;
    CHECK_CUDA(cudaMemcpy(&found, differ.data(), sizeof found, cudaMemcpyDeviceToHost));
    return found == 0;
}

/// True if `bytes` bytes are the same in both, by the widest words that both addresses and the
/// number of bytes are multiples of. Throws CudaError.
inline bool same_bits_by_kernel(const void* one, const void* other, std::size_t bytes)
{
    const std::uintptr_t all =
        reinterpret_cast<std::uintptr_t>(one) | reinterpret_cast<std::uintptr_t>(other) | bytes;
    if (all % sizeof(std::uint64_t) == 0)
        return same_words<std::uint64_t>(one, other, bytes / sizeof(std::uint64_t));
    if (all % sizeof(std::uint32_t) == 0)
        return same_words<std::uint32_t>(one, other, bytes / sizeof(std::uint32_t));
    return same_words<unsigned char>(one, other, bytes);
}

} // namespace common
