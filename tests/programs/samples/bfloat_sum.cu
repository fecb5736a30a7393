// bfloat16: the range of float with 8 bits of mantissa, and sums in float.
// RUN => 0 sum 4096 by float, 256 by bfloat16, large 3.39e\+38
#include <cstdio>
#include <cuda_bf16.h>
__global__ void sums(const __nv_bfloat16* x, int n, float* wide, __nv_bfloat16* narrow)
{
    float f = 0;
    __nv_bfloat16 b = __float2bfloat16(0.0f);
    for (int i = 0; i < n; ++i) {
        f += __bfloat162float(x[i]);
        b = __hadd(b, x[i]);
    }
    *wide = f;
    *narrow = b;
}
int main()
{
    const int n = 4096;
    __nv_bfloat16 *x, *narrow;
    float* wide;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&narrow, sizeof *narrow);
    cudaMallocManaged(&wide, sizeof *wide);
    for (int i = 0; i < n; ++i) x[i] = __float2bfloat16(1.0f);
    sums<<<1, 1>>>(x, n, wide, narrow);
    cudaDeviceSynchronize();
    printf("sum %g by float, %g by bfloat16, large %.3g\n", *wide, __bfloat162float(*narrow), __bfloat162float(__float2bfloat16(3.39e38f)));
}
