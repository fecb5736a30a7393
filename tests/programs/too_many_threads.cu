// RUN => 3 invalid argument
#include <cstdio>
__global__ void nothing(int* x) { x[threadIdx.x] = 0; }

int main()
{
    int* x;
    cudaMalloc(&x, 2048 * sizeof(int));
    nothing<<<1, 2048>>>(x);
    cudaError_t error = cudaGetLastError();
    std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaErrorInvalidValue ? 3 : 0;
}
