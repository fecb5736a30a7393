// A function of the host that ends without the return that it owes: as without optimisation, it goes on behind the call.
// RUN => 0 \Aok 4950\n
#include <cstdio>
#pragma GCC diagnostic ignored "-Wreturn-type"
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
bool verify(int* x, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (x[i] != i) { printf("wrong at %d\n", i); return false; }
    }
    printf("ok %d\n", s);
}
int main()
{
    int* x;
    cudaMallocHost(&x, 400);
    fill<<<1, 100>>>(x);
    cudaDeviceSynchronize();
    verify(x, 100);
}
