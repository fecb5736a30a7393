// The last warp of a reduction by `volatile` alone, as samples for GPUs before Volta have it.
// RUN => 0 sum 8128
// RUN MOVING_BYTES_SEED=3 => 0 sum 8128[^$]*without __syncwarp\(\)
#include <cstdio>
template <unsigned size>
__device__ void reduce_warp(volatile int* s, unsigned t)
{
    if (size >= 64) s[t] += s[t + 32];
    if (size >= 32) s[t] += s[t + 16];
    if (size >= 16) s[t] += s[t + 8];
    if (size >= 8) s[t] += s[t + 4];
    if (size >= 4) s[t] += s[t + 2];
    if (size >= 2) s[t] += s[t + 1];
}
template <unsigned size>
__global__ void reduce(const int* in, int* out)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (size >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32) reduce_warp<size>(s, t);
    if (t == 0) *out = s[0];
}
int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 128 * sizeof(int));
    cudaMallocManaged(&out, sizeof(int));
    for (int i = 0; i < 128; ++i) in[i] = i;
    reduce<128><<<1, 128, 128 * sizeof(int)>>>(in, out);
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
