// More launches at which nobody looks than may be put off: all of them run, those behind too, and the sum is theirs.
// RUN MOVING_BYTES_COUNT=1 => 0 20000 of 20000\n[^$]*executed and 1 of them counted
#include <cstdio>
__global__ void add(int* sum) { *sum += 1; }
int main()
{
    constexpr int launches = 20000;
    int *sum, result = 0;
    cudaMalloc(&sum, sizeof(int)), cudaMemset(sum, 0, sizeof(int));
    for (int i = 0; i < launches; ++i) add<<<1, 1>>>(sum);
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d of %d\n", result, launches);
    cudaFree(sum);
}
