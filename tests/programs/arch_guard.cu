// Code that asks for __CUDA_ARCH__, which the CPU device defines for all of a file.
// RUN => 0 device 900 host 900 count 32
#include <cstdio>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif
__host__ __device__ int side()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return -1;
#endif
}
__global__ void fill(int* a, double* sum)
{
#if __CUDA_ARCH__ >= 700
    a[threadIdx.x] = side();
    atomicAdd(sum, 1.0);
#endif
}
int main()
{
    int* a;
    double* sum;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(double));
    *sum = 0;
    fill<<<1, 32>>>(a, sum);
    cudaDeviceSynchronize();
    printf("device %d host %d count %g\n", a[31], side(), *sum);
}
// SLOW
