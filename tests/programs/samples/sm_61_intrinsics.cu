// A header of the toolkit that samples include.
// RUN => 0 \A70\n
#include <cstdio>
#include <sm_61_intrinsics.h>
__global__ void dot(int a, int b, int* o) { *o = __dp4a(a, b, 0); }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    dot<<<1, 1>>>(0x04030201, 0x08070605, d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
