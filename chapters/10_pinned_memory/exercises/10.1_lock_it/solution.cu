// 10.1: An array that is not yours, a solution
//
// The pages are locked around the copy, and no longer. cudaMemcpy returns when the copy is done, so
// nothing reads the array any more when its pages are unlocked.

#include <cstddef>

__global__ void twice(float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] *= 2;
    }
}

void solve(float* host_a, float* c, std::size_t n)
{
    const std::size_t bytes = n * sizeof(float);
    cudaHostRegister(host_a, bytes, cudaHostRegisterDefault);
    cudaMemcpy(c, host_a, bytes, cudaMemcpyHostToDevice);
    cudaHostUnregister(host_a);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    twice<<<blocks, threads>>>(c, n);
}
