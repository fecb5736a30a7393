// A shuffle from lanes that the block has no threads for.
// RUN => 0 the shuffle of shuffle_exited.cu:8 reads lane 16, which runs no more
#include <cstdio>
__global__ void sum(int* out)
{
    int v = 1;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) *out = v;
}
int main()
{
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    sum<<<1, 16>>>(out);
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
