// What a kernel allocated is out of the host's reach, as other device memory is.
// RUN => 6 value 5[^$]*Host code reads from device memory, inside allocation \d+ \(4 bytes\); the host cannot reach it
#include <cstdio>
#include <cstdlib>
__global__ void create(int** kept) { *kept = new int(5); }
int main()
{
    int **kept, value = 0;
    cudaMallocManaged(&kept, sizeof *kept);
    create<<<1, 1>>>(kept);
    cudaDeviceSynchronize();
    cudaMemcpy(&value, *kept, sizeof value, cudaMemcpyDeviceToHost);
    printf("value %d\n", value);
    return **kept;
}
