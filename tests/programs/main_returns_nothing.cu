// RUN => 0 the sum is 32\n[^$]*1 kernel launch
// `return;` in an `int main()`, which nvcc completes.
#include <cstdio>
__global__ void add(int* sum) { atomicAdd(sum, 1); }
int main()
{
    int* sum = nullptr;
    if (cudaMallocManaged(&sum, sizeof *sum) != cudaSuccess) return;
    *sum = 0;
    add<<<1, 32>>>(sum);
    cudaDeviceSynchronize();
    printf("the sum is %d\n", *sum);
    return;
}
// SLOW
