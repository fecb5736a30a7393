// What nothing orders is told, with both lines and the reason; what is ordered, or alike in any order, is not.
// RUN => 0 (?s)\b6 kernels: no error\n(?!.*Warning:\s+kernel\s+right_)
// RUN => 0 kernel\s+between_warps\s[^.]*\.cu:\d+\),[^.]*\sallocation\s+1\s+at\s+races\.cu:@neighbour,[^.]*\sat\s+races\.cu:@neighbour\b
// RUN => 0 kernel\s+before_atomics\s[^.]*\.cu:\d+\),[^.]*\s__shared__\s+c\s+at\s+races\.cu:@adds_early,[^.]*\sat\s+races\.cu:@clears\b
// RUN => 0 kernel\s+after_atomics\s[^.]*\.cu:\d+\),[^.]*\s__shared__\s+c\s+at\s+races\.cu:@reads_sum,[^.]*\sat\s+races\.cu:@adds\b
// RUN => 0 kernel\s+between_rounds\s[^.]*\.cu:\d+\),[^.]*\s__shared__\s+t\s+at\s+races\.cu:@reads_tile,[^.]*\sat\s+races\.cu:@stores_tile\b
// RUN => 0 kernel\s+without_atomics\s[^.]*\.cu:\d+\),[^.]*\sallocation\s+2\s+at\s+races\.cu:@counts,[^.]*\sat\s+races\.cu:@counts\b
// RUN => 0 kernel\s+between_blocks\s[^.]*\.cu:\d+\),[^.]*\sallocation\s+2\s+at\s+races\.cu:@sums,[^.]*\sat\s+races\.cu:@sums\b
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void between_warps(int* g)
{
    for (int s = 1; s < blockDim.x; s *= 2)
        if (threadIdx.x % (2 * s) == 0) g[threadIdx.x] += g[threadIdx.x + s]; // @neighbour
}
__global__ void before_atomics(int* out)
{
    __shared__ int c;
    if (threadIdx.x == 64) c = 0; // @clears
    atomicAdd(&c, 1); // @adds_early
    __syncthreads();
    if (threadIdx.x == 0) *out = c;
}
__global__ void after_atomics(int* out)
{
    __shared__ int c;
    if (threadIdx.x == 0) c = 0;
    __syncthreads();
    atomicAdd(&c, 1); // @adds
    if (threadIdx.x == 0) *out = c; // @reads_sum
}
__global__ void between_rounds(int* out, const int* in)
{
    __shared__ int t[256];
    for (int k = 0; k < 4; ++k) {
        t[threadIdx.x] = in[k * 256 + threadIdx.x]; // @stores_tile
        __syncthreads();
        out[threadIdx.x] += t[255 - threadIdx.x]; // @reads_tile
    }
}
__global__ void without_atomics(int* h, const int* in) { ++h[in[threadIdx.x]]; } // @counts
__global__ void between_blocks(int* c) { *c = *c + 1; } // @sums

__device__ int blocks_done;
__global__ void right_last_block(const int* in, int* partial, int* out)
{
    __shared__ int s[128];
    __shared__ bool last;
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int o = 64; o > 0; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0)
        for (int i = 0; i < gridDim.x; ++i) *out += partial[i];
}
__global__ void right_flag(int* flag, const int* in) { if (in[threadIdx.x] >= 0) *flag = 1; }
__global__ void right_alike(int* out)
{
    __shared__ int n;
    n = blockDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
__global__ void right_halves(const int* in, int* out)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    const unsigned half = t < 16 ? 0xffff : 0xffff0000;
    s[t] = in[t];
    __syncwarp(half);
    const int x = s[t ^ 1];
    __syncwarp(half);
    s[t] = x;
    __syncwarp(half);
    out[t] = s[t ^ 3];
}
__global__ void right_tile(const int* in, int* out)
{
    __shared__ int s[256];
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = in[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 31];
}
// Flags raised by more instructions than the CPU device's first table of them has room for.
constexpr int many = 600;
template<int n> __device__ __forceinline__ void raise_flags(volatile int* flags)
{
    if constexpr (n > 0) {
        flags[n - 1] = 1;
        raise_flags<n - 1>(flags);
    }
}
__global__ void right_many_flags(volatile int* flags)
{
    if (threadIdx.x == 0) raise_flags<many>(flags);
    for (int i = 0; threadIdx.x == 32 && i < many; ++i)
        while (flags[i] == 0) {}
}
__global__ void right_bytes(char* c, const char* in) { c[threadIdx.x] = c[threadIdx.x] + in[threadIdx.x]; }

int main()
{
    int *a, *b, *c;
    for (int** p : {&a, &b, &c}) {
        cudaMalloc(p, 65536);
        cudaMemset(*p, 0, 65536);
    }
    between_warps<<<1, 256>>>(a);
    before_atomics<<<1, 128>>>(b);
    after_atomics<<<1, 128>>>(b);
    between_rounds<<<1, 256>>>(b, c);
    without_atomics<<<1, 32>>>(b, c);
    between_blocks<<<100, 1>>>(b);
    right_last_block<<<8, 128>>>(a, b, c);
    right_flag<<<4, 128>>>(b, a);
    right_alike<<<2, 128>>>(b);
    right_halves<<<1, 32>>>(a, b);
    right_tile<<<1, 256>>>(a, b);
    cudaMemset(c, 0, 65536);
    right_many_flags<<<1, 64>>>(c);
    right_bytes<<<1, 256>>>((char*)b, (char*)a);
    printf("6 kernels: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
