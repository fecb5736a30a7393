#include <stdlib.h>
__global__ void increment(int* x) { ++x[threadIdx.x]; }

int main()
{
    int* x = (int*)malloc(32 * sizeof(int));
    increment<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    free(x);
    return 0;
}
