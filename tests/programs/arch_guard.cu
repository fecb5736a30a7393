// Code that asks for __CUDA_ARCH__: kernels, functions for both sides, and names of one side.
// RUN => 0 device 900 host -1 fallback 1 helper 3 count 32
#include <cstdio>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif
#ifndef __CUDA_ARCH__
#define SIDE -1
static int host_helper() { return 3; }
#else
#define SIDE __CUDA_ARCH__
__device__ inline int device_helper() { return 4; }
#endif
__host__ __device__ int side() { return SIDE; }
struct Both { int v; __host__ __device__ Both() { 
#if __CUDA_ARCH__
    v = device_helper();
#else
    v = host_helper();
#endif
} };
__global__ void fill(int* a, double* sum)
{
#if __CUDA_ARCH__ >= 700
    a[threadIdx.x] = side();
    atomicAdd(sum, 1.0);
    Both both;
    if (both.v != 4) a[0] = 0;
#endif
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 530
int fallback() { return 1; }
#endif
int main()
{
    int* a;
    double* sum;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(double));
    *sum = 0;
    fill<<<1, 32>>>(a, sum);
    cudaDeviceSynchronize();
    printf("device %d host %d fallback %d helper %d count %g\n", a[31], side(), fallback(), Both().v, *sum);
}
// SLOW
