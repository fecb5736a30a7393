// Launches that make next to no requests are counted 128 times at most: counting one takes some milliseconds in any case.
// RUN => 0 (?s)\A1000\n.*1 000 kernel launches, executed and 128 of them counted.*872\s+repeats\s+ran\s+at\s+full\s+speed
// RUN MOVING_BYTES_COUNT=all => 0 (?s)\A1000\n.*1 000 kernel launches, executed and counted
#include <cstdio>
__global__ void add_one(int* x) { if (threadIdx.x == 0) ++*x; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    for (int i = 0; i < 1000; ++i) add_one<<<1, 32>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
