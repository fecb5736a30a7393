// A failed assertion that is left to the program: an error of the call that waits, as on a GPU.
// RUN MOVING_BYTES_ASSERT=return => 0 device-side assert triggered, then device-side assert triggered[^$]*block: \[1,0,0\], thread: \[28,0,0\] Assertion `i < n` failed
// RUN => 6 kernel check .*thread \(28, 0, 0\).*assertion `i < n` failed
// RUN MOVING_BYTES_ASSERT=retrun => 2 MOVING_BYTES_ASSERT is 'retrun'; it must be return, or not set\.
#include <cassert>
#include <cstdio>
__global__ void check(int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    __syncthreads();
}
int main()
{
    check<<<2, 32>>>(60);
    const cudaError_t first = cudaDeviceSynchronize();
    check<<<1, 32>>>(60);
    printf("%s, then %s\n", cudaGetErrorString(first), cudaGetErrorString(cudaDeviceSynchronize()));
}
