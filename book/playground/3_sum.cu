// Sum: shuffles within a warp, then one atomic addition
#include <cstdio>

__global__ void sum(const int* in, int* out, int n)
{
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value += in[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xFFFFFFFF, value, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, value);
    }
}

int main()
{
    const int n = 1 << 14;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, sizeof(int));
    for (int i = 0; i < n; ++i) {
        in[i] = i % 10;
    }
    *out = 0;
    sum<<<8, 256>>>(in, out, n);
    cudaDeviceSynchronize();
    std::printf("sum = %d\n", *out);
}
