// A program that reads an argument which nobody gave ends before its first call of CUDA, and the sentence says what to do.
// RUN => -11 \A2 numbers\nHost code (reads from|uses) 0x0, a null pointer: an error in the host code\. The program was given no arguments; behind --, \./run passes some on\.\n
#include <cstdio>
#include <cstdlib>
__global__ void fill(int* x) { x[threadIdx.x] = 1; }
int main(int, char* argv[])
{
    printf("2 numbers\n");
    const int blocks = atoi(argv[1]), threads = atoi(argv[2]);
    int* x;
    cudaMalloc(&x, sizeof(int) * threads);
    fill<<<blocks, threads>>>(x);
    cudaDeviceSynchronize();
}
// SLOW
