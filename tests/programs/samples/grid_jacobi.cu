// Many steps of a stencil in one cooperative launch.
// RUN => 0 middle 0.500 after 400 steps
#include <cooperative_groups.h>
#include <cstdio>
#include <utility>
namespace cg = cooperative_groups;
__global__ void relax(float* a, float* b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int step = 0; step < steps; ++step) {
        if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        float* swap = a; a = b; b = swap;
        grid.sync();
    }
}
int main()
{
    int n = 17, steps = 400;
    float *a, *b;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    for (int i = 0; i < n; ++i) a[i] = b[i] = i == n - 1;
    void* arguments[] = {&a, &b, &n, &steps};
    cudaLaunchCooperativeKernel(relax, dim3(5), dim3(4), arguments);
    cudaDeviceSynchronize();
    printf("middle %.3f after %d steps\n", a[8], steps);
}
