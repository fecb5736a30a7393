// Half precision by pairs: 4 bytes an access, rounded as a GPU rounds.
// RUN => 0 y\[3\] 9.5, overflow inf, subnormal 0002, rounded 2048
#include <cstdio>
#include <cuda_fp16.h>
__global__ void axpy(int n, half a, const half* x, half* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const half2 a2 = __half2half2(a);
    if (i < n / 2) reinterpret_cast<half2*>(y)[i] = __hfma2(a2, reinterpret_cast<const half2*>(x)[i], reinterpret_cast<half2*>(y)[i]);
}
__global__ void convert(const float* in, half* out) { out[threadIdx.x] = __float2half(in[threadIdx.x]); }
int main()
{
    const int n = 256;
    float* in;
    half *x, *y;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&x, n * sizeof(half));
    cudaMallocManaged(&y, n * sizeof(half));
    for (int i = 0; i < n; ++i) in[i] = i;
    convert<<<1, n>>>(in, x);
    for (int i = 0; i < n; ++i) in[i] = 0.5f;
    convert<<<1, n>>>(in, y);
    axpy<<<1, 128>>>(n, __float2half(3.0f), x, y);
    cudaDeviceSynchronize();
    printf("y[3] %g, overflow %g, subnormal %04x, rounded %g\n", __half2float(y[3]), float(half(70000.0f)),
           __half_as_ushort(half(1.2e-7f)), float(__hadd(half(2047.0f), half(1.5f))));
}
