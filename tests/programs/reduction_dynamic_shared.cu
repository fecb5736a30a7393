// A tree in dynamic shared memory, launched again on its own results until one is left.
// RUN => 0 sum 4950000
// RUN MOVING_BYTES_SEED=11 => 0 sum 4950000
#include <cstdio>
#include <utility>
#include <vector>

extern __shared__ int partial[];

template <unsigned int blockSize>
__global__ void __launch_bounds__(blockSize) reduce(int* g_in, int* g_out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    partial[tid] = (i < n ? g_in[i] : 0) + (i + blockSize < n ? g_in[i + blockSize] : 0);
    __syncthreads();
    for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        g_out[blockIdx.x] = partial[0];
}

int main()
{
    const unsigned int n = 100000;
    std::vector<int> values(n);
    for (unsigned int i = 0; i < n; ++i)
        values[i] = i % 100;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyHostToDevice);

    for (unsigned int left = n; left > 1;) {
        const unsigned int blocks = (left + 511) / 512;
        if (left > 1024)
            reduce<256><<<blocks, 256, 256 * sizeof(int)>>>(in, out, left);
        else
            reduce<(512 >> 1)><<<blocks, (512 >> 1), 256 * sizeof(int)>>>(in, out, left);
        std::swap(in, out);
        left = blocks;
    }
    int sum = 0;
    cudaMemcpy(&sum, in, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", sum);
    cudaFree(in);
    cudaFree(out);
    return sum == 4950000 ? 0 : 1;
}
