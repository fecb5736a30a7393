// 04.1: Not waited for, a solution
//
// The copy to the host is queued like everything else: when the call returns, it may not have
// begun. The one wait that is needed stands behind it. The stream keeps the order of copies and
// kernel by itself, so no other is. From pageable memory the call waits, and so hid the fault.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with host arrays in pinned memory, arrays a, b and c in device memory, and any n.
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
    cudaMemcpyAsync(host_c, c, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
