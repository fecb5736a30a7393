#include "common/device/check.hpp"
#include "common/device/libraries.hpp"

#include <cub/device/device_histogram.cuh>

#include <stdexcept>
#include <type_traits>

namespace common {

template<class T>
void cub_histogram(void* scratch, std::size_t& scratch_bytes, const T* a, unsigned* c,
                   std::size_t n, unsigned bits, cudaStream_t stream)
{
    if (n > 0x7fff'ffff)
        throw std::length_error("cub::DeviceHistogram takes up to 2^31 - 1 elements here.");
    using Level = std::conditional_t<sizeof(T) == 1, int, std::uint64_t>; // holds the end, too
    const Level end = Level{1} << (8 * sizeof(T));
    CHECK_CUDA(cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, a, c, (1 << bits) + 1,
                                                   Level{0}, end, static_cast<int>(n), stream));
}

template void cub_histogram(void*, std::size_t&, const std::uint8_t*, unsigned*, std::size_t,
                            unsigned, cudaStream_t);
template void cub_histogram(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, unsigned,
                            cudaStream_t);

} // namespace common
