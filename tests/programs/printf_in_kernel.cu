// printf and assert in a kernel.
// RUN => 0 hello from block 1, thread 2 of 3
#include <assert.h>
#include <stdio.h>

__global__ void hello()
{
    assert(blockDim.x == 3);
    printf("hello from block %d, thread %d of %d\n", blockIdx.x, threadIdx.x, blockDim.x);
}

int main()
{
    hello<<<2, 3>>>();
    cudaDeviceSynchronize();
    return 0;
}
