/// \file
/// What all overloads of cuda::memcpy_async share.
#pragma once

#include <cstddef>

namespace cuda {

/// A size that is a multiple of `alignment`, as are the addresses that go with it.
template<std::size_t alignment>
struct aligned_size_t
{
    static constexpr std::size_t align = alignment;
    std::size_t value;
    constexpr explicit aligned_size_t(std::size_t bytes) : value(bytes) {}
    constexpr operator std::size_t() const { return value; }
};

enum class async_contract_fulfillment
{
    none,
    async
};

} // namespace cuda
