// One program of CUDA, C++ and C files; a device function and a variable of another file.
// WITH -I include -D FACTOR=5 -lcudart parts/host_part.c parts/gold.cpp parts/device_part.cu
// RUN => 0 sums 136 136, C says 7, factor 5, device 62 counter 32
#include "host_part.h"
#include <cstdio>
#include <vector>
int gold(const std::vector<int>& values);
extern __device__ float twice(float x);
extern __device__ int counter;

__global__ void sum(const int* in, int n, int* out) { if (threadIdx.x == 0) for (int i = 0; i < n; ++i) *out += in[i]; }
__global__ void apply(float* x) { x[threadIdx.x] = twice(threadIdx.x); atomicAdd(&counter, 1); }

int main()
{
    std::vector<int> values(17);
    for (int i = 0; i < 17; ++i) values[i] = i;
    int *in, *out, seen = 0;
    float* x;
    cudaMallocManaged(&in, sizeof(int) * 17);
    cudaMallocManaged(&out, sizeof(int));
    cudaMallocManaged(&x, 32 * sizeof(float));
    std::copy(values.begin(), values.end(), in);
    *out = 0;
    sum<<<1, 32>>>(in, 17, out);
    apply<<<1, 32>>>(x);
    cudaMemcpyFromSymbol(&seen, counter, sizeof seen);
    printf("sums %d %d, C says %d, factor %d, device %g counter %d\n", *out, gold(values), add_in_c(3, 4), FACTOR, x[31], seen);
}
// SLOW
