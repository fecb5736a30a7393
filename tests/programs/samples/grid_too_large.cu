// A cooperative grid larger than what the device holds at a time is an error, as on a GPU.
// RUN => 0 too many blocks in cooperative launch
#include <cooperative_groups.h>
#include <cstdio>
__global__ void k() { cooperative_groups::this_grid().sync(); }
int main()
{
    cudaLaunchCooperativeKernel((void*)k, dim3(100000), dim3(1024), nullptr, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
