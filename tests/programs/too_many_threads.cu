// RUN => 3 invalid configuration argument
#include <cstdio>
__global__ void nothing(int* x) { x[threadIdx.x] = 0; }

int main()
{
    int* x;
    cudaMalloc(&x, 2048 * sizeof(int));
    nothing<<<1, 2048>>>(x);
    cudaError_t error = cudaGetLastError();
    std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaErrorInvalidConfiguration ? 3 : 0;
}
