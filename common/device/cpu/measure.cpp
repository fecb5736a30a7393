#include "common/device/measure.hpp"

#include <stdexcept>

namespace common {

namespace {

[[noreturn]] void refuse_to_time()
{
    throw std::logic_error(
        "The CPU device counts transactions and does not time; build for a GPU.");
}

} // namespace

Timing measure_launch(const Launch&, cudaStream_t, Cache, const MeasureOptions&)
{
    refuse_to_time();
}

Timing measure_transfer(const Launch&, cudaStream_t, const MeasureOptions&, const Launch&)
{
    refuse_to_time();
}

std::optional<Energy> measure_energy(const Launch&, cudaStream_t, double)
{
    refuse_to_time();
}

double copy_bandwidth(const MeasureOptions&)
{
    refuse_to_time();
}

double theoretical_peak()
{
    return 0;
}

std::size_t l2_bytes()
{
    return 0;
}

} // namespace common
