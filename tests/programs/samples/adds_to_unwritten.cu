// A kernel adds to memory that nothing has set to 0: on a GPU that is often right by luck.
// RUN => 0 (?s)\A(?!.*Warning:\s+kernel\s+right\s).*Warning:\s+kernel\s+add\s.*thread\s+\(0,\s+0,\s+0\)\s+reads\s+byte\s+0\s+of\s+allocation\s+2\s+at\s+adds_to_unwritten\.cu:8,\s+which\s+nothing\s+has\s+written.*Warning:\s+kernel\s+add_shared\s.*of\s+__shared__\s+sum\s+at\s+adds_to_unwritten\.cu:13,
// RUN MOVING_BYTES_COUNT=all => 0 (?s)Warning:\s+kernel\s+add\s
#include <cstdio>
struct Padded { double x; int n; };
__global__ void add(const int* in, int* sum)
{
    atomicAdd(sum, in[threadIdx.x]);
}
__global__ void add_shared(const int* in, int* out)
{
    __shared__ int sum;
    sum += in[0];
    *out = sum;
}
__global__ void right(const int* in, int* out, Padded* to, const Padded* from)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
    to[threadIdx.x] = from[threadIdx.x];
}
int main()
{
    int *in, *sum, *out;
    Padded *from, *to;
    cudaMalloc(&in, 256);
    cudaMalloc(&sum, 4);
    cudaMalloc(&out, 256);
    cudaMalloc(&from, 64 * sizeof(Padded));
    cudaMalloc(&to, 64 * sizeof(Padded));
    cudaMemset(in, 0, 256);
    cudaMemset(from, 0, 64 * sizeof(Padded));
    add<<<1, 64>>>(in, sum);
    add_shared<<<1, 1>>>(in, out);
    right<<<1, 64>>>(in, out, to, from);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
