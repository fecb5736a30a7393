#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/device/gpu/isolation.hpp"
#include "common/device/measure.hpp"

#include <algorithm>

namespace common {

namespace {

/// Four times the L2 leaves nothing of it behind even where the replacement is not strictly LRU.
constexpr std::size_t times_l2 = 4;
/// For devices that do not tell their L2 size.
constexpr std::size_t least_bytes = std::size_t{64} << 20;

/// Reads `n` vectors of zeros. The store is never executed, which only the run knows: without it
/// the compiler would drop the loads.
__global__ void read_all(uint4* data, std::size_t n)
{
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    unsigned seen = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        const uint4 value = data[i];
        seen |= value.x | value.y | value.z | value.w;
    }
    if (seen != 0)
        data[threadIdx.x].x = seen;
}

std::size_t flush_bytes()
{
    return std::max(times_l2 * l2_bytes(), least_bytes);
}

bool has_persisting_lines()
{
    return attribute(cudaDevAttrMaxPersistingL2CacheSize) > 0;
}

} // namespace

L2Flush::L2Flush(bool reset_persisting)
    : buffer_(flush_bytes() / sizeof(uint4)),
      reset_persisting_(reset_persisting && has_persisting_lines())
{
    CHECK_CUDA(cudaMemset(buffer_.data(), 0, buffer_.bytes()));
}

void L2Flush::queue(cudaStream_t stream)
{
    if (reset_persisting_)
        CHECK_CUDA(cudaCtxResetPersistingL2Cache());
    read_all<<<1024, 256, 0, stream>>>(buffer_.data(), buffer_.size());
    check_launch("The launch of the kernel that flushes the L2");
}

} // namespace common
