// Groups of cooperative_groups instead of raw barriers and shuffles.
// RUN => 0 sum 496000
// RUN MOVING_BYTES_SEED=4 => 0 sum 496000
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_block_tile<32> warp, int v)
{
    for (int i = warp.size() / 2; i > 0; i /= 2)
        v += warp.shfl_down(v, i);
    return v;
}

__global__ void sum(const int* in, int* out)
{
    __shared__ int total;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0)
        total = 0;
    block.sync();
    const int v = sum_of(warp, in[block.group_index().x * block.size() + block.thread_rank()]);
    if (warp.thread_rank() == 0)
        atomicAdd(&total, v);
    cg::sync(block);
    if (block.thread_rank() == 0)
        atomicAdd(out, total);
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 32000 * sizeof(int));
    cudaMallocManaged(&out, sizeof(int));
    for (int i = 0; i < 32000; ++i)
        in[i] = i % 32;
    *out = 0;
    sum<<<125, 256>>>(in, out);
    cudaDeviceSynchronize();
    std::printf("sum %d\n", *out);
    return *out == 496000 ? 0 : 1;
}
