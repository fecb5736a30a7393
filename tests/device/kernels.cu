#include "tests/device/kernels.hpp"

namespace {

constexpr unsigned threads = 256;

unsigned blocks(std::size_t n)
{
    return static_cast<unsigned>((n + threads - 1) / threads);
}

__global__ void copy(const float* in, float* out, std::size_t n)
{
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

} // namespace

void launch_copy(const float* in, float* out, std::size_t n, cudaStream_t stream)
{
    copy<<<blocks(n), threads, 0, stream>>>(in, out, n);
}

void launch_add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream)
{
    add<<<blocks(n), threads, 0, stream>>>(a, b, c, n);
}
