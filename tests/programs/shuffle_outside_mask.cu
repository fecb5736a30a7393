// A shuffle from lanes that are not in its mask, as the tail of a reduction has it.
// RUN => 0 sum 28
// RUN => 0 thread \(\d+, 0, 0\): the shuffle of shuffle_outside_mask.cu:10 reads lane \d+, which is not in its mask 0x000000ff; CUDA leaves the result undefined
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
