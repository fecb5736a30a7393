// Sizes by libcu++'s integer arithmetic, on the host and in a kernel.
// RUN => 0 \A4 12 8 3 2 536870912 sum 1000\n
#include <cuda/cmath>
#include <cstdio>
__global__ void count(int* sum, int n)
{
    const int tiles = cuda::ceil_div(n, 256);
    for (int tile = 0; tile < tiles; ++tile)
        if (tile * 256 + static_cast<int>(threadIdx.x) < n) atomicAdd(sum, 1);
}
int main()
{
    constexpr unsigned most = 0xFFFFFFFF;
    std::printf("%d %d %d %d %d %u ", cuda::ceil_div(10, 3), cuda::round_up(10, 4), cuda::round_down(10, 4), cuda::ilog2(15),
                cuda::ilog10(999), cuda::ceil_div(most, 8u));
    int *sum, result;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    count<<<1, 256>>>(sum, 1000);
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", result);
}
