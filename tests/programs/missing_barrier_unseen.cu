// A barrier is missing, and in ascending order nothing but the sentence shows it: the lines of both accesses.
// RUN => 0 (?s)\b0 wrong\n.*uses\s+byte\s+124\s+of\s+__shared__\s+tile\s+at\s+missing_barrier_unseen\.cu:10,\s+which\s+thread\s+\(31,\s+0,\s+0\)\s+writes\s+at\s+missing_barrier_unseen\.cu:9\s+with\s+no\s+__syncthreads\(\)
// RUN MOVING_BYTES_SEED=1 => 1 (?s)\A[1-9]\d* wrong\n
#include <cstdio>

__global__ void pass_on(const int* in, int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = threadIdx.x == 0 ? in[0] : tile[threadIdx.x - 1];
}

int main()
{
    int *in, *out, host[64];
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    pass_on<<<1, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 1; i < 64; ++i)
        wrong += host[i] != i - 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
