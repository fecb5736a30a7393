// Lanes of a warp that load and then store one counter: as on a GPU, all updates but one are lost, and it is told.
// RUN => 0 (?s)\A1\n.*Warning:\s+kernel\s+inc.*32\s+threads\s+of\s+a\s+warp\s+read\s+byte\s+0\s+of\s+allocation\s+1\s+at\s+lost_update\.cu:\d+,\s+and\s+then\s+write\s+it\s+at\s+lost_update\.cu:\d+
// RUN MOVING_BYTES_COUNT=all => 0 \A1\n
#include <cstdio>
__global__ void inc(int* c)
{
    int old = *c;
    *c = old + 1;
}
int main()
{
    int *c, h;
    cudaMalloc(&c, 4);
    cudaMemset(c, 0, 4);
    inc<<<1, 32>>>(c);
    cudaMemcpy(&h, c, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
