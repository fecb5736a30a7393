#include "common/device/gpu/same_bits.cuh"

#include "common/device/device.hpp"

namespace common {

bool same_bits(const void* one, const void* other, std::size_t bytes)
{
    return same_bits_by_kernel(one, other, bytes);
}

} // namespace common
