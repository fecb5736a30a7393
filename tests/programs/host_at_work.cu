// A program whose host computes for long is not silent meanwhile; one that waits is left in peace, but for what it computed
// in the half second in which it began to wait.
// RUN MOVING_BYTES_PATIENCE=1 => 0 No kernel runs: the host's own code is at work\.\ncomputed\n(No kernel runs[^\n]*\n)?slept\n
#include <cstdio>
#include <ctime>
#include <unistd.h>
__global__ void seven(int* x) { *x = 7; }
int main()
{
    const auto began = std::clock();
    while (std::clock() - began < CLOCKS_PER_SEC) continue;
    fputs("computed\n", stderr);
    usleep(1800000);
    fputs("slept\n", stderr);
    int *d, h = 0;
    cudaMalloc(&d, 4);
    seven<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    return h != 7;
}
// SLOW
