// Strides: the same work, with neighbours and without
#include <cstdio>

// Thread i has elements i, i + threads, ...: the lanes of a warp load neighbours.
__global__ void neighbours(const float* in, float* out, int n)
{
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        out[i] = 2 * in[i];
    }
}

// Thread i has elements 8 i to 8 i + 7: every lane is in a sector of its own.
__global__ void runs_of_eight(const float* in, float* out, int n)
{
    const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = first; i < first + 8 && i < n; ++i) {
        out[i] = 2 * in[i];
    }
}

int main()
{
    const int n = 1 << 16, threads = 256, blocks = n / threads / 8;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    neighbours<<<blocks, threads>>>(in, out, n);
    runs_of_eight<<<blocks, threads>>>(in, out, n);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
