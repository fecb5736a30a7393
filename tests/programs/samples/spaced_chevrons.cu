// Launches as some formatters write them.
// RUN => 0 \A7\n
#include <cstdio>
__global__ void k(int* d) { *d = 7; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k << < 1, 1 >> > (d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
