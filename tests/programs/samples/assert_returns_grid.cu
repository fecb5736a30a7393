// A failed assertion in a cooperative launch that is left to the program.
// RUN MOVING_BYTES_ASSERT=return => 0 device-side assert triggered[^$]*block: \[3,0,0\], thread: \[4,0,0\] Assertion `i < n` failed
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
__global__ void check(int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    cooperative_groups::this_grid().sync();
}
int main()
{
    int n = 100;
    void* arguments[] = {&n};
    cudaLaunchCooperativeKernel((void*)check, dim3(4), dim3(32), arguments, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
