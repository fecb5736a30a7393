// 01.3: Order of allocation, copies and free
//
// The whole sequence, from host arrays to a host array: allocate, copy in, add, copy out, free. The
// program checks no status, so one call fails unnoticed. Find it, and put the steps in the right
// order. Free everything that you allocate.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in host memory, of any n up to 2^31.
void solve(const float* host_a, const float* host_b, float* host_c, std::size_t n)
{
    const std::size_t bytes = n * sizeof(float);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host_a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host_b, bytes, cudaMemcpyHostToDevice);
    add<<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaMemcpy(host_c, c, bytes, cudaMemcpyDeviceToHost);
}
