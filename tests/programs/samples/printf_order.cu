// The lanes of a warp print one statement after the other, each in their order.
// RUN => 0 \Alane: 0 1 2 3 4 5 6 7 \n
// RUN MOVING_BYTES_SEED=1 => 0 \Alane: 
#include <cstdio>
__global__ void show()
{
    int t = threadIdx.x;
    if (t == 0) printf("lane: ");
    printf("%d ", t);
    if (t == 0) printf("\n");
}
int main()
{
    show<<<1, 8>>>();
    cudaDeviceSynchronize();
}
