// Unified memory and a grid-stride loop: the host touches the arrays before and after the kernel.
// RUN => 0 saxpy: all 100003 elements right
#include <cmath>
#include <iostream>

__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y)
{
    const int stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 100003;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        x[i] = 1.0f;
        y[i] = 2.0f;
    }

    int device = -1, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    saxpy<<<8 * processors, 128>>>(n, 2.0, x, y);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (std::fabs(y[i] - 4.0f) > 1e-6f)
            ++wrong;
    if (wrong == 0)
        std::cout << "saxpy: all " << n << " elements right" << std::endl;
    cudaFree(x);
    cudaFree(y);
    return wrong != 0;
}
