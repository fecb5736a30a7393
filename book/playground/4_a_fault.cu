// A fault: the last block has threads without an element
#include <cstdio>

__global__ void fill(float* a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        a[i] = 1;
    }
}

int main()
{
    const int n = 1000;
    float* a;
    cudaMalloc(&a, n * sizeof(float));
    std::printf("before\n");
    fill<<<4, 256>>>(a, n);
    cudaDeviceSynchronize();
    std::printf("after\n");
}
