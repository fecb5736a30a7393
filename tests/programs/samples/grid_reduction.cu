// A reduction by one cooperative launch of many blocks: grid.sync() between its two parts.
// RUN => 0 blocks 264, sum 1048576, order right
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void reduce(const int* in, int* partial, int n, int* order)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ int s[];
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    s[block.thread_rank()] = sum;
    cg::sync(block);
    for (int half = block.size() / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half) s[block.thread_rank()] += s[block.thread_rank() + half];
        cg::sync(block);
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
    if (grid.thread_rank() == grid.size() - 1) *order = 1;
    cg::sync(grid);
    if (grid.thread_rank() == 0) {
        for (int i = 1; i < gridDim.x; ++i) partial[0] += partial[i];
        *order += *order == 1;
    }
}
int main()
{
    const int n = 1 << 20, threads = 64, shared = threads * sizeof(int);
    int multiprocessors = 0, blocks = 2, *in, *partial, *order;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    blocks *= multiprocessors;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&partial, blocks * sizeof(int));
    cudaMallocManaged(&order, sizeof(int));
    for (int i = 0; i < n; ++i) in[i] = 1;
    int count = n;
    void* arguments[] = {&in, &partial, &count, &order};
    cudaError_t status = cudaLaunchCooperativeKernel((void*)reduce, dim3(blocks), dim3(threads), arguments, shared, 0);
    cudaDeviceSynchronize();
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorString(status));
    printf("blocks %d, sum %d, order %s\n", blocks, partial[0], *order == 2 ? "right" : "wrong");
}
