// A loop that adds to one word of global memory does not wait for it: a large launch is counted by a sample.
// RUN => 0 (?s)right\n.*matmul\s+32x32\s+16x16\s+1\s+[\d ]+\s.*\(matmul:\s+\d+\s+of\s+1\s024\s+blocks\)
#include <cstdio>
#include <vector>
__global__ void matmul(double* c, const double* a, const double* b, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < n; ++k) c[y * n + x] += a[y * n + k] * b[k * n + x];
}
int main()
{
    const int n = 512;
    double *a, *b, *c;
    std::vector<double> ones(n * n, 1), sums(n * n);
    for (double** p : {&a, &b, &c}) cudaMalloc(p, n * n * sizeof(double));
    for (double* p : {a, b}) cudaMemcpy(p, ones.data(), n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, n * n * sizeof(double));
    matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n);
    cudaMemcpy(sums.data(), c, n * n * sizeof(double), cudaMemcpyDeviceToHost);
    for (double sum : sums)
        if (sum != n) return 1;
    printf("right\n");
}
