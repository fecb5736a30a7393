// A __managed__ variable is the host's, too: no repeat may be put off, or left out, that writes it.
// RUN MOVING_BYTES_COUNT=1 => 0 \A0 wrong[^$]*39 repeats ran at full speed
// RUN MOVING_BYTES_COUNT=all => 0 \A0 wrong[^$]*executed and counted
#include <cstdio>
__device__ __managed__ int total;
__global__ void add(int value) { if (threadIdx.x == 0) atomicAdd(&total, value); }
int main()
{
    int wrong = 0;
    for (int i = 1; i <= 20; ++i) add<<<4, 32>>>(1), cudaDeviceSynchronize(), wrong += total != 4 * i;
    total = 0;
    for (int i = 1; i <= 20; ++i) add<<<4, 32>>>(1), cudaDeviceSynchronize(), wrong += total != 4 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
