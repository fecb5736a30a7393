// A byte order mark in front of a source, as some editors write it, is no part of it.
// RUN => 0 touch +1 +32 +1
#include <cstdio>
__global__ void touch(int* x) { x[threadIdx.x] = 1; }

int main()
{
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    touch<<<1, 32>>>(x);
}
