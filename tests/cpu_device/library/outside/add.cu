#include "host.hpp"

#include <cuda/std/cstddef>

template<class T>
__global__ void add(const T* a, const T* b, T* c, cuda::std::size_t n)
{
    const cuda::std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    constexpr cuda::std::size_t n = 256;
    float* a;
    float* b;
    float* c;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    add<float><<<2, 128>>>(a, b, c, n);
    print_launches();
    return cudaDeviceSynchronize();
}
