// 04.2: Two streams, one sum, a solution
//
// A stream keeps the order of its own work and knows nothing of the other's, so the kernel did not
// wait for b. The event is a point in the second stream, behind the copy of b; the first stream
// goes on when that point is reached. The host does not wait for it. To queue both copies on the
// first stream would do as well: they use the same direction of the link, and cannot overlap.

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
    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaEvent_t b_is_there = nullptr;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&b_is_there);
    cudaMemcpyAsync(a, host_a, bytes, cudaMemcpyHostToDevice, first);
    cudaMemcpyAsync(b, host_b, bytes, cudaMemcpyHostToDevice, second);
    cudaEventRecord(b_is_there, second);
    cudaStreamWaitEvent(first, b_is_there, 0);
    add<<<blocks, threads, 0, first>>>(a, b, c, n);
    cudaMemcpyAsync(host_c, c, bytes, cudaMemcpyDeviceToHost, first);
    cudaStreamSynchronize(first);
    cudaEventDestroy(b_is_there);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
