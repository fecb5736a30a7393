// Addition: every thread one element
#include <cstdio>

__global__ void add(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

int main()
{
    const int n = 100000;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&c, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2 * i;
    }
    const int threads = 256;
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    std::printf("c[%d] = %g\n", n - 1, c[n - 1]);
}
