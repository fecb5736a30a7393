// 11.1: Zero-copy in place
//
// The arrays are in mapped host memory, and the sum is needed there. This version copies in, adds
// and copies out. Make the kernel work on the host memory in place: no copy, and no device memory.
// Consider what else the last copy did: when solve() returns, the host reads host_c.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays from cudaHostAlloc(..., cudaHostAllocMapped), of any n up to 2^31.
void solve(float* host_a, float* host_b, float* host_c, std::size_t n)
{
    const std::size_t bytes = n * sizeof(float);
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host_a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host_b, bytes, cudaMemcpyHostToDevice);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
    cudaMemcpy(host_c, c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
