// The last warp of a reduction by `volatile`, as samples have it: it compiles without a warning.
// RUN => 0 sum 2016
#include <cstdio>
#include <cstring>

struct Point
{
    int x = 0, y = 0;
};

__device__ void reduce_warp(volatile int* values, unsigned thread)
{
    values[thread] += values[thread + 32];
    __syncwarp();
    values[thread] += values[thread + 16];
    __syncwarp();
    values[thread] += values[thread + 8];
    __syncwarp();
    values[thread] += values[thread + 4];
    __syncwarp();
    values[thread] += values[thread + 2];
    __syncwarp();
    values[thread] += values[thread + 1];
}

__global__ void sum(int* out)
{
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    asm volatile("" ::: "memory"); // no instruction: it only keeps the compiler from moving code
    if (threadIdx.x < 32)
        reduce_warp(values, threadIdx.x);
    if (threadIdx.x == 0)
        *out = values[0];
}

int main()
{
    Point point;
    memset(&point, 0, sizeof(point));
    int *device, host = point.x;
    cudaMalloc(&device, sizeof(int));
    sum<<<1, 64>>>(device);
    cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d\n", host);
}
