// 04.1: Missing synchronization
//
// The whole sequence on a stream, from pinned memory. The caller of solve() reads the sums from
// host_c as soon as solve() returns. With pageable memory that worked for years. Now the memory is
// pinned, and sometimes some sums are stale. Find out which operation is not waited for.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with host arrays in pinned memory, arrays a, b and c in device memory, and any n up to
// 2^31.
void solve(const float* host_a, const float* host_b, float* host_c, float* a, float* b, float* c,
           std::size_t n)
{
    const std::size_t bytes = n * sizeof(float);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(a, host_a, bytes, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(b, host_b, bytes, cudaMemcpyHostToDevice, stream);
    add<<<blocks, threads, 0, stream>>>(a, b, c, n);
    cudaStreamSynchronize(stream); // the sums are there
    cudaMemcpyAsync(host_c, c, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamDestroy(stream);
}
