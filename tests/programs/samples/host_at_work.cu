// A program whose host computes for long is not silent meanwhile; one that waits is left in peace.
// RUN => 0 (?s)\AThe kernel: 7\n.*No kernel runs: the host's own code is at work\.\n(?!.*No kernel runs)
#include <cstdio>
#include <ctime>
#include <unistd.h>
__global__ void seven(int* x) { *x = 7; }
int main()
{
    const auto began = std::clock();
    while (std::clock() - began < 6 * CLOCKS_PER_SEC) continue;
    sleep(6);
    int *d, h = 0;
    cudaMalloc(&d, 4);
    seven<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("The kernel: %d\n", h);
}
