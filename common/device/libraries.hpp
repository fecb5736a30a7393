/// \file
/// What NVIDIA's own libraries do for the same problem: the libraries that the chapters are set
/// against, in the same process, on the same buffers, by the same method.
///
/// All pointers are device memory, all work is queued on `stream`. Only a GPU can run them: on the
/// CPU device all are null, and Chapter::run_library() does not call them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#ifdef HAS_LIBRARIES
#define GPU_ONLY
#else
/// A symbol without a definition, which the linker makes null.
#define GPU_ONLY [[gnu::weak]]
#endif

namespace common {

/// True when the toolkit has cub::DeviceTransform (CUDA 12.8 and later).
[[nodiscard]] GPU_ONLY bool device_transform_available();

/// c[i] = a[i] + b[i] by cub::DeviceTransform. Throws CudaError, and std::logic_error where
/// device_transform_available() is false.
GPU_ONLY void device_transform_add(const float* a, const float* b, float* c, std::size_t n,
                                   cudaStream_t stream);

/// c[i] = a[i] + b[i] by thrust::transform.
GPU_ONLY void thrust_transform_add(const float* a, const float* b, float* c, std::size_t n,
                                   cudaStream_t stream);

/// c[i] = a[index[i]] by thrust::gather.
GPU_ONLY void thrust_gather(const unsigned* index, const float* a, float* c, std::size_t n,
                            cudaStream_t stream);

/// c[index[i]] = a[i] by thrust::scatter.
GPU_ONLY void thrust_scatter(const unsigned* index, const float* a, float* c, std::size_t n,
                             cudaStream_t stream);

/// out[i] = in[i] by cub::DeviceTransform, for units of 1, 2, 4 and 8 bytes (T is one of
/// std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t). Errors as device_transform_add().
template<class T>
GPU_ONLY void device_transform_copy(const T* in, T* out, std::size_t n, cudaStream_t stream);

/// c[0] = the sum of n elements by cub::DeviceReduce, for float and unsigned. Needs `scratch_bytes`
/// of memory; where `scratch` is null, says how many and does nothing else.
template<class T>
GPU_ONLY void cub_sum(void* scratch, std::size_t& scratch_bytes, const T* a, T* c, std::size_t n,
                      cudaStream_t stream);

/// c[0] = the index of the largest of n elements, of equal ones the first, and c[1] = that element,
/// by cub::DeviceReduce::ArgMax. Memory as for cub_sum(). Throws std::length_error for 2^31
/// elements and more.
GPU_ONLY void cub_arg_max(void* scratch, std::size_t& scratch_bytes, const unsigned* a, unsigned* c,
                          std::size_t n, cudaStream_t stream);

/// c[i] = a[0] + ... + a[i], modulo 2^32, by cub::DeviceScan::InclusiveSum. Memory as for
/// cub_sum(). Throws std::length_error for 2^31 elements and more.
GPU_ONLY void cub_inclusive_sum(void* scratch, std::size_t& scratch_bytes, const unsigned* a,
                                unsigned* c, std::size_t n, cudaStream_t stream);

/// c becomes those of n words whose highest bit is 0, in their order, and count[0] how many there
/// are, by cub::DeviceSelect::If. Memory and errors as for cub_inclusive_sum().
GPU_ONLY void cub_select(void* scratch, std::size_t& scratch_bytes, const unsigned* a, unsigned* c,
                         unsigned* count, std::size_t n, cudaStream_t stream);

/// c[x] = how many of n elements have x in their upper `bits` bits, for x below 2^bits, by
/// cub::DeviceHistogram::HistogramEven; T is std::uint8_t or unsigned. Memory and errors as for
/// cub_arg_max().
template<class T>
GPU_ONLY void cub_histogram(void* scratch, std::size_t& scratch_bytes, const T* a, unsigned* c,
                            std::size_t n, unsigned bits, cudaStream_t stream);

/// True when this program was built with cuBLAS.
[[nodiscard]] GPU_ONLY bool cublas_available();

/// c = transpose of a, by cublasSgeam: element (y, x) of the `rows` x `columns` matrix `a`, stored
/// row by row, becomes element (x, y) of `c`. Throws std::length_error where a side is more than
/// 2^31 - 1, std::runtime_error where cuBLAS fails, and std::logic_error where cublas_available()
/// is false.
GPU_ONLY void cublas_transpose(const float* a, float* c, std::size_t rows, std::size_t columns,
                               cudaStream_t stream);

} // namespace common

#undef GPU_ONLY
