// No barrier between the loop of a reduction and its last warp: both lines are told.
// RUN => 0 (?s)Warning:\s+kernel\s+sum.*of\s+__shared__\s+s\s+at\s+missing_barrier_last_warp\.cu:13,\s+which\s+thread\s+\(\d+,\s+0,\s+0\)\s+writes\s+at\s+missing_barrier_last_warp\.cu:11\s+with\s+no\s+__syncthreads\(\)
#include <cstdio>
__global__ void sum(const int* in, int* out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int o = 128; o > 32; o >>= 1) {
        __syncthreads();
        if (t < o) s[t] += s[t + o];
    }
    if (t < 32) for (int o = 32; o; o >>= 1) { int x = s[t + o]; __syncwarp(); s[t] += x; __syncwarp(); }
    if (t == 0) *out = s[0];
}
int main()
{
    int h[256], *d, *o, r; for (int& x : h) x = 1;
    cudaMalloc(&d, sizeof h); cudaMalloc(&o, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 256>>>(d, o);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("%d\n", r);
}
