// Helpers that test for the include guards of CUDA's headers, reached by -I.
// WITH -I include
// RUN => 0 compute 90, runtime 1
#include <cuda_runtime.h>
#include <check_helper.h>
__global__ void k(int* x) { x[threadIdx.x] = threadIdx.x; }
int main()
{
    int* x;
    checkErrors(cudaMalloc((void**)&x, 32 * sizeof(int)));
    k<<<1, 32>>>(x);
    checkErrors(cudaGetLastError());
    checkErrors(cudaDeviceSynchronize());
    checkErrors(cudaFree(x));
    printf("compute %d, runtime %d\n", find_device(), CUDART_VERSION >= 11000);
}
// SLOW
