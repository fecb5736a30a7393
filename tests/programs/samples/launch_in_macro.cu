// Launches in the argument and in the body of macros, with commas and over lines.
// RUN => 0 values 3 6 12 1024
#include <cstdio>
#include <cstdlib>
#define CHECK(...) do { __VA_ARGS__; cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)
#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 1>>>(__VA_ARGS__)
#define RUN_TYPED(T, grid, block, args) typed<T, 2><<<grid, block, 0, 0>>> args
#define FOR_EACH_SIZE(X) X(1) X(2)
#define CASE(n) case n: sized<n><<<1, n>>>(x + 3); break;
__global__ void set(int* x, int v) { *x = v; }
template <typename T, int N> __global__ void typed(T* x, T v) { *x = v * N; }
template <int N> __global__ void sized(int* x) { atomicAdd(x, 512); }
int main()
{
    int* x;
    cudaMallocManaged(&x, 4 * sizeof(int));
    x[3] = 0;
    int n = 2;
    CHECK((set<<<dim3(1, 1), 1>>>(x, 3)));
    CHECK(set<<<1, 1>>>(x + 1, 6));
    LAUNCH(set, 1, x + 2, 5);
    RUN_TYPED(int, 1, 1, (x + 2, 6));
    switch (n) { FOR_EACH_SIZE(CASE) }
    CHECK(cudaDeviceSynchronize());
    printf("values %d %d %d %d\n", x[0], x[1], x[2], x[3]);
}
