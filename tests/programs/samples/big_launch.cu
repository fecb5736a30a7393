// A launch that makes many requests is counted by a sample of its blocks: the counts are those of all, and so are the results.
// RUN => 0 (?s)right\n.*mmul\s+16x16\s+32x32\s+1\s+8 388 608\s+2\.50\s.*scaled\s+from\s+a\s+sample\s+of\s+their\s+blocks.*\(mmul:\s+\d+\s+of\s+256\s+blocks\)
// RUN MOVING_BYTES_COUNT=all => 0 (?s)right\n.*mmul\s+16x16\s+32x32\s+1\s+8 388 608\s+2\.50\s(?!.*sample)
#include <cstdio>
__global__ void mmul(const float* A, const float* B, float* C, int n)
{
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    float t = 0;
    for (int i = 0; i < n; i++) t += A[y * n + i] * B[i * n + x];
    C[y * n + x] = t;
}
int main()
{
    const int n = 512;
    static float h[n * n];
    float *a, *b, *c;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMalloc(&c, sizeof h);
    for (int i = 0; i < n * n; ++i) h[i] = i % n;
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    for (float& x : h) x = 1;
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    mmul<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float x : h) wrong += x != n * (n - 1) / 2;
    puts(wrong ? "wrong" : "right");
}
