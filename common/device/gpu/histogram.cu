#include "common/device/check.hpp"
#include "common/device/gpu/library.hpp"
#include "common/device/libraries.hpp"

#include <cub/device/device_histogram.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace common {

// CUB is handed bins of 8 or 16 bits: of words it would scale each in 64-bit arithmetic.
template<class Bin>
struct BinOf
{
    __device__ Bin operator()(unsigned x) const { return static_cast<Bin>(x >> down); }
    unsigned down; // bits that do not count
};

template<class T>
void cub_histogram(void* scratch, std::size_t& scratch_bytes, const T* a, unsigned* c,
                   std::size_t n, unsigned bits, cudaStream_t stream)
{
    const auto count = [&](auto elements) {
        CHECK_CUDA(cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, elements, c,
                                                       (1 << bits) + 1, 0, 1 << bits,
                                                       as_int(n, "CUB"), stream));
    };
    const unsigned down = 8 * unsigned{sizeof(T)} - bits;
    if (down == 0)
        count(a);
    else if (bits <= 8)
        count(thrust::make_transform_iterator(a, BinOf<std::uint8_t>{down}));
    else if (bits <= 16)
        count(thrust::make_transform_iterator(a, BinOf<std::uint16_t>{down}));
    else
        count(thrust::make_transform_iterator(a, BinOf<unsigned>{down}));
}

template void cub_histogram(void*, std::size_t&, const std::uint8_t*, unsigned*, std::size_t,
                            unsigned, cudaStream_t);
template void cub_histogram(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, unsigned,
                            cudaStream_t);

} // namespace common
