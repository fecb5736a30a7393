// 04.2: Dependencies between two streams
//
// The two inputs arrive on two streams, and the host waits for both streams at the end. All tests
// passed. Yet on a busy machine some sums are wrong. Find out which operation may run too early,
// and prevent it. Use the streams as you like; the arrays are pinned.

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
    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMemcpyAsync(a, host_a, bytes, cudaMemcpyHostToDevice, first);
    cudaMemcpyAsync(b, host_b, bytes, cudaMemcpyHostToDevice, second);
    add<<<blocks, threads, 0, first>>>(a, b, c, n);
    cudaMemcpyAsync(host_c, c, bytes, cudaMemcpyDeviceToHost, first);
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
