// Of a kernel that computes for long between its accesses, no memory is said to limit it.
// RUN => 0 (?s)heavy\s+0\.\d+\s+\d+\s+arithmetic.*heavy\s+computes\s+for\s+long\s+between\s+its\s+accesses
#include <cstdio>
__global__ void heavy(const float* a, float* o)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 256; k++) x = expf(-x * x) / (1.0f + sqrtf(x * x + k));
    o[i] = x;
}
int main()
{
    const int n = 1 << 18;
    float *a, *o;
    cudaMalloc(&a, n * 4); cudaMalloc(&o, n * 4);
    cudaMemset(a, 0, n * 4);
    heavy<<<n / 256, 256>>>(a, o);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
