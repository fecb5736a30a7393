// 01.3: Freed too early, a solution
//
// What c points to is the device's only copy of the sums. Until it has been copied out it must not
// be freed; the inputs may go as soon as the kernel has ended.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in host memory, of any n.
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
    cudaMemcpy(host_c, c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
