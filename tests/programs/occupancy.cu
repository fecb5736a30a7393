// The shared memory that a kernel declares is among its attributes, and limits how many blocks fit.
// RUN => 0 ^48000 4 0 2\n
#include <cstdio>

__global__ void reverse(float* x)
{
    __shared__ float tile[12000];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, reverse);
    int alone, too_much, allowed;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&alone, reverse, 128, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&too_much, reverse, 128, 40000);
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&allowed, reverse, 128, 40000);
    printf("%zu %d %d %d\n", attributes.sharedSizeBytes, alone, too_much, allowed);
}
