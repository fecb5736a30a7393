// The first program of every course: c = a + b, with an error check around each call.
// RUN => 0 largest error 0\.0
// RUN => 0 add_vectors +196 +256 +1 +3,126 +4\.00 +100 % +1,563 +4\.00 +100 % +1\n
#include <stdio.h>
#include <stdlib.h>

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));        \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__global__ void add_vectors(const float* x, const float* y, float* sum, int count)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < count)
        sum[i] = x[i] + y[i];
}

int main(void)
{
    const int count = 50000;
    size_t size = count * sizeof(float);
    float* h_x = (float*)malloc(size);
    float* h_y = (float*)malloc(size);
    float* h_sum = (float*)malloc(size);
    for (int i = 0; i < count; ++i) {
        h_x[i] = (float)i;
        h_y[i] = 2.0f * i;
    }

    float *d_x = NULL, *d_y = NULL, *d_sum = NULL;
    CHECK_CUDA(cudaMalloc((void**)&d_x, size));
    CHECK_CUDA(cudaMalloc((void**)&d_y, size));
    CHECK_CUDA(cudaMalloc(&d_sum, size));
    CHECK_CUDA(cudaMemcpy(d_x, h_x, size, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_y, h_y, size, cudaMemcpyHostToDevice));

    int threadsPerBlock = 256;
    int blocksPerGrid = (count + threadsPerBlock - 1) / threadsPerBlock;
    add_vectors<<<blocksPerGrid, threadsPerBlock>>>(d_x, d_y, d_sum, count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemcpy(h_sum, d_sum, size, cudaMemcpyDeviceToHost));

    float worst = 0;
    for (int i = 0; i < count; ++i) {
        float error = h_sum[i] - 3.0f * i;
        worst = error > worst ? error : worst;
    }
    printf("largest error %.1f\n", worst);
    CHECK_CUDA(cudaFree(d_x));
    CHECK_CUDA(cudaFree(d_y));
    CHECK_CUDA(cudaFree(d_sum));
    free(h_x);
    free(h_y);
    free(h_sum);
    return worst == 0 ? 0 : 1;
}
