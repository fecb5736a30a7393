// Atomic additions of half precision and of pairs.
// RUN => 0 one 64, pair 64 128
#include <cstdio>
#include <cuda_fp16.h>
__global__ void add(__half* one, __half2* pair)
{
    atomicAdd(one, __float2half(1.0f));
    atomicAdd(pair, __floats2half2_rn(1.0f, 2.0f));
}
int main()
{
    __half* one;
    __half2* pair;
    cudaMallocManaged(&one, sizeof *one);
    cudaMallocManaged(&pair, sizeof *pair);
    cudaMemset(one, 0, sizeof *one);
    cudaMemset(pair, 0, sizeof *pair);
    add<<<2, 32>>>(one, pair);
    cudaDeviceSynchronize();
    printf("one %g, pair %g %g\n", __half2float(*one), __low2float(*pair), __high2float(*pair));
}
