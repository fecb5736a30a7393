#include "common/device/check.hpp"
#include "common/device/gpu/library.hpp"
#include "common/device/libraries.hpp"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace common {

namespace {

// Before CUB 2.8 there are only 32-bit numbers of elements.
int as_int(std::size_t n)
{
    return common::as_int(n, "CUB");
}

struct HighestBitIsNot
{
    __device__ bool operator()(unsigned x) const { return x >> 31 == 0; }
};

} // namespace

void cub_inclusive_sum(void* scratch, std::size_t& scratch_bytes, const unsigned* a, unsigned* c,
                       std::size_t n, cudaStream_t stream)
{
    CHECK_CUDA(cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, a, c, as_int(n), stream));
}

void cub_select(void* scratch, std::size_t& scratch_bytes, const unsigned* a, unsigned* c,
                unsigned* count, std::size_t n, cudaStream_t stream)
{
    CHECK_CUDA(cub::DeviceSelect::If(scratch, scratch_bytes, a, c, count, as_int(n),
                                     HighestBitIsNot(), stream));
}

} // namespace common
