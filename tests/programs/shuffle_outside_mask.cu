// A shuffle from lanes that are not in its mask, as the tail of a reduction has it.
#include <cstdio>
__global__ void sum(int* out)
{
    if (threadIdx.x < 8) {
        int v = threadIdx.x;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xff, v, d);
        if (threadIdx.x == 0) *out = v;
    }
}
int main()
{
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    sum<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
