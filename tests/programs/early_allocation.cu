// Memory may be allocated before main().
// RUN => 0 ^1 2\n
#include <cstdio>

__global__ void increment(int* x) { ++*x; }

struct Number
{
    int* x;
    Number()
    {
        cudaMallocManaged(&x, sizeof(int));
        *x = 1;
    }
} number;

int main()
{
    printf("%d ", *number.x);
    increment<<<1, 1>>>(number.x);
    cudaDeviceSynchronize();
    printf("%d\n", *number.x);
}
