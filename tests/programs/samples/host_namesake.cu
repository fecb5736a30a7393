// A function of the host with the name of the kernel that it launches.
// RUN => 0 \A7\n
#include <cstdio>
__global__ void calc(int* data) { *data = 7; }
void calc()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    calc<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
int main() { calc(); }
