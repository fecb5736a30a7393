#include "host.hpp"

#include <add.cuh>

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
