#include "common/device/libraries.hpp"

#include "common/device/check.hpp"

#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#include <thrust/transform.h>

#include <cstdint>
#include <stdexcept>

#if __has_include(<cub/device/device_transform.cuh>)
#define TOOLKIT_HAS_DEVICE_TRANSFORM 1
#include <cub/device/device_transform.cuh>
#else
#define TOOLKIT_HAS_DEVICE_TRANSFORM 0
#endif

namespace common {

namespace {

/// std::identity, which CUDA 12.0 has not got for the device.
struct Unchanged
{
    template<class T>
    __host__ __device__ T operator()(T value) const
    {
        return value;
    }
};

#if TOOLKIT_HAS_DEVICE_TRANSFORM
/// out[i] = operation(inputs[i]...) by cub::DeviceTransform.
template<class Inputs, class T, class Operation>
void device_transform(Inputs inputs, T* out, std::size_t n, Operation operation,
                      cudaStream_t stream)
{
    CHECK_CUDA(cub::DeviceTransform::Transform(inputs, out, n, operation, stream));
}
#else
template<class... Arguments>
void device_transform(const Arguments&...)
{
    throw std::logic_error(
        "This CUDA toolkit has no cub::DeviceTransform; 12.8 and later have it.");
}
#endif

} // namespace

bool device_transform_available()
{
    return TOOLKIT_HAS_DEVICE_TRANSFORM;
}

void device_transform_add(const float* a, const float* b, float* c, std::size_t n,
                          cudaStream_t stream)
{
    device_transform(cuda::std::make_tuple(a, b), c, n, cuda::std::plus<float>{}, stream);
}

void thrust_transform_add(const float* a, const float* b, float* c, std::size_t n,
                          cudaStream_t stream)
{
    // par_nosync: thrust would otherwise wait for the stream, which makes its time the host's.
    thrust::transform(thrust::cuda::par_nosync.on(stream), a, a + n, b, c,
                      cuda::std::plus<float>{});
}

void thrust_gather(const unsigned* index, const float* a, float* c, std::size_t n,
                   cudaStream_t stream)
{
    thrust::gather(thrust::cuda::par_nosync.on(stream), index, index + n, a, c);
}

void thrust_scatter(const unsigned* index, const float* a, float* c, std::size_t n,
                    cudaStream_t stream)
{
    thrust::scatter(thrust::cuda::par_nosync.on(stream), a, a + n, index, c);
}

template<class T>
void device_transform_copy(const T* in, T* out, std::size_t n, cudaStream_t stream)
{
    device_transform(cuda::std::make_tuple(in), out, n, Unchanged{}, stream);
}

template void device_transform_copy(const std::uint8_t*, std::uint8_t*, std::size_t, cudaStream_t);
template void device_transform_copy(const std::uint16_t*, std::uint16_t*, std::size_t,
                                    cudaStream_t);
template void device_transform_copy(const std::uint32_t*, std::uint32_t*, std::size_t,
                                    cudaStream_t);
template void device_transform_copy(const std::uint64_t*, std::uint64_t*, std::size_t,
                                    cudaStream_t);

} // namespace common
