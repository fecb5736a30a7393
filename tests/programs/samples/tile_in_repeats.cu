// Launches that are not counted may wait in calls of cooperative groups.
// RUN MOVING_BYTES_COUNT=2 => 0 (?s)\A128 no error\n.*4\s+repeats\s+ran\s+at\s+full\s+speed.*4\s+repeats\s+were\s+not\s+even\s+executed
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void red(float* o)
{
    extern __shared__ float s[];
    int tid = threadIdx.x; s[tid] = 1;
    __syncthreads(); for (int offset = blockDim.x >> 1; offset >= 32; offset >>= 1) {
        if (tid < offset) s[tid] += s[tid + offset];
        __syncthreads();
    }
    float y = s[tid]; auto g = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = g.size() >> 1; i > 0; i >>= 1) y += g.shfl_down(y, i);
    if (tid == 0) o[blockIdx.x] = y;
}
int main()
{
    float *o, h; cudaMalloc(&o, 1024 * 4);
    for (int r = 0; r < 10; r++) red<<<1024, 128, 512>>>(o);
    cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);
    printf("%g %s\n", h, cudaGetErrorString(cudaGetLastError()));
}
