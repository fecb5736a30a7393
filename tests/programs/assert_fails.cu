// RUN => 6 checked.*threadIdx\.x < 10
#include <cassert>
__global__ void checked() { assert(threadIdx.x < 10); }

int main()
{
    checked<<<1, 32>>>();
    cudaDeviceSynchronize();
    return 0;
}
