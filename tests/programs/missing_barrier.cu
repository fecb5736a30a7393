// Reverses a block through shared memory, without the barrier between the store and the load.
// RUN MOVING_BYTES_SEED=1 => 1 wrong
// RUN MOVING_BYTES_SEED=2 => 1 wrong
// RUN MOVING_BYTES_SEED=3 => 1 wrong
#include <cstdio>

__global__ void reverse(int* d, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    d[t] = s[n - t - 1];
}

int main()
{
    const int n = 256;
    int *d, h[n];
    for (int i = 0; i < n; ++i)
        h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    reverse<<<1, n>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += h[i] != n - 1 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
