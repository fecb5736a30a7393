#include "common/device/check.hpp"
#include "common/device/gpu/library.hpp"
#include "common/device/libraries.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

namespace common {

namespace {

// Before CUB 2.8 there are only 32-bit numbers of elements, in one call, and pairs.
int as_int(std::size_t n)
{
    return common::as_int(n, "CUB");
}

} // namespace

template<class T>
void cub_sum(void* scratch, std::size_t& scratch_bytes, const T* a, T* c, std::size_t n,
             cudaStream_t stream)
{
    CHECK_CUDA(cub::DeviceReduce::Sum(scratch, scratch_bytes, a, c, as_int(n), stream));
}

template void cub_sum(void*, std::size_t&, const float*, float*, std::size_t, cudaStream_t);
template void cub_sum(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, cudaStream_t);

void cub_arg_max(void* scratch, std::size_t& scratch_bytes, const unsigned* a, unsigned* c,
                 std::size_t n, cudaStream_t stream)
{
#if CUB_VERSION >= 200800
    CHECK_CUDA(cub::DeviceReduce::ArgMax(scratch, scratch_bytes, a, c + 1, c, as_int(n), stream));
#else
    auto* pair = reinterpret_cast<cub::KeyValuePair<int, unsigned>*>(c);
    CHECK_CUDA(cub::DeviceReduce::ArgMax(scratch, scratch_bytes, a, pair, as_int(n), stream));
#endif
}

} // namespace common
