// Launches of one configuration whose argument decides what they move have a row each.
// RUN => 0 (?s)stride\s+4096\s+256\s+1\s+32 768\s+4\.00.*stride\s+4096\s+256\s+3\s+98 304\s+32\.00.*stride\s+4096\s+256\s+1\s+0\.0058\s.*stride\s+4096\s+256\s+3\s+0\.0238\s
#include <cstdio>
__global__ void stride(float* a, int s) { int i = (blockIdx.x * blockDim.x + threadIdx.x) * s; a[i] = a[i] + 1; }
int main()
{
    float* a; const int n = 1 << 20;
    cudaMalloc(&a, sizeof(float) * n * 33);
    cudaMemset(a, 0, sizeof(float) * n * 33);
    stride<<<n / 256, 256>>>(a, 1);
    stride<<<n / 256, 256>>>(a, 32);
    stride<<<n / 256, 256>>>(a, 32);
    stride<<<n / 256, 256>>>(a, 32);
    cudaDeviceSynchronize();
}
