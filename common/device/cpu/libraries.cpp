#include "common/device/libraries.hpp"

#include <cstdint>
#include <stdexcept>

namespace common {

namespace {

[[noreturn]] void refuse_library()
{
    throw std::logic_error("The CPU device cannot run NVIDIA's libraries; build for a GPU.");
}

} // namespace

bool device_transform_available()
{
    return false;
}

void device_transform_add(const float*, const float*, float*, std::size_t, cudaStream_t)
{
    refuse_library();
}

void thrust_transform_add(const float*, const float*, float*, std::size_t, cudaStream_t)
{
    refuse_library();
}

void thrust_gather(const unsigned*, const float*, float*, std::size_t, cudaStream_t)
{
    refuse_library();
}

void thrust_scatter(const unsigned*, const float*, float*, std::size_t, cudaStream_t)
{
    refuse_library();
}

template<class T>
void device_transform_copy(const T*, T*, std::size_t, cudaStream_t)
{
    refuse_library();
}

template void device_transform_copy(const std::uint8_t*, std::uint8_t*, std::size_t, cudaStream_t);
template void device_transform_copy(const std::uint16_t*, std::uint16_t*, std::size_t,
                                    cudaStream_t);
template void device_transform_copy(const std::uint32_t*, std::uint32_t*, std::size_t,
                                    cudaStream_t);
template void device_transform_copy(const std::uint64_t*, std::uint64_t*, std::size_t,
                                    cudaStream_t);

template<class T>
void cub_sum(void*, std::size_t&, const T*, T*, std::size_t, cudaStream_t)
{
    refuse_library();
}

template void cub_sum(void*, std::size_t&, const float*, float*, std::size_t, cudaStream_t);
template void cub_sum(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, cudaStream_t);

void cub_arg_max(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, cudaStream_t)
{
    refuse_library();
}

void cub_inclusive_sum(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, cudaStream_t)
{
    refuse_library();
}

template<class T>
void cub_histogram(void*, std::size_t&, const T*, unsigned*, std::size_t, unsigned, cudaStream_t)
{
    refuse_library();
}

template void cub_histogram(void*, std::size_t&, const std::uint8_t*, unsigned*, std::size_t,
                            unsigned, cudaStream_t);
template void cub_histogram(void*, std::size_t&, const unsigned*, unsigned*, std::size_t, unsigned,
                            cudaStream_t);

void cub_select(void*, std::size_t&, const unsigned*, unsigned*, unsigned*, std::size_t,
                cudaStream_t)
{
    refuse_library();
}

bool cublas_available()
{
    return false;
}

void cublas_transpose(const float*, float*, std::size_t, std::size_t, cudaStream_t)
{
    refuse_library();
}

void cublas_matrix_vector(const float*, const float*, float*, const StoredMatrix&, cudaStream_t)
{
    refuse_library();
}

void cublas_matrix_vector_bf16(const void*, const void*, float*, const StoredMatrix&, cudaStream_t)
{
    refuse_library();
}

bool cusparse_available()
{
    return false;
}

void cusparse_matrix_vector(void*, std::size_t&, const StoredRows&, const float*, float*,
                            cudaStream_t)
{
    refuse_library();
}

} // namespace common
