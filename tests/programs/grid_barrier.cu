// A cooperative launch: the whole grid waits between two passes over the array. One block, because
// the CPU device synchronises no more.
// RUN => 0 neighbours summed
// RUN MOVING_BYTES_SEED=8 => 0 neighbours summed
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

__global__ void two_passes(int* a, int* b, int n)
{
    cg::grid_group grid = cg::this_grid();
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step)
        a[i] = i;
    grid.sync();
    for (int i = first; i < n; i += step)
        b[i] = a[i] + a[n - 1 - i];
}

template <class T>
__global__ void fill(T* x, T value)
{
    x[threadIdx.x] = value;
}

int main()
{
    int n = 1000, device = 0, supported = 0, blocks = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, two_passes, 64, 0);
    if (!supported || blocks < 1)
        return 2;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    void* arguments[] = {&a, &b, &n};
    cudaError_t status = cudaLaunchCooperativeKernel((void*)two_passes, dim3(1), dim3(256), arguments);
    if (status != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(status));
        return 1;
    }
    std::vector<int> sums(n);
    cudaMemcpy(sums.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int sum : sums)
        wrong += sum != n - 1;

    int value = 5;
    void* more[] = {&a, &value};
    cudaLaunchKernel(reinterpret_cast<const void*>(&fill<int>), 1, 10, more, 0, 0);
    cudaMemcpy(sums.data(), a, 10 * sizeof(int), cudaMemcpyDeviceToHost);
    wrong += sums[9] != 5;
    std::puts(wrong ? "WRONG" : "neighbours summed");
    return wrong != 0;
}
