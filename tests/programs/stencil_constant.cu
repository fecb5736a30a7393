// A one-dimensional stencil: coefficients in constant memory, a tile with a halo in shared memory.
// RUN => 0 stencil passed
// RUN MOVING_BYTES_SEED=9 => 0 stencil passed
#include <cstdio>
#include <cstdlib>

#define RADIUS 3
#define BLOCK 128

__constant__ float coefficients[2 * RADIUS + 1];
__device__ int outside = 0;

__global__ void stencil(const float* in, float* out, int n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x;
    int l = threadIdx.x + RADIUS;
    tile[l] = in[g + RADIUS];
    if (threadIdx.x < RADIUS) {
        tile[l - RADIUS] = in[g];
        tile[l + BLOCK] = in[g + RADIUS + BLOCK];
    }
    __syncthreads();
    if (g >= n) {
        atomicAdd(&outside, 1);
        return;
    }
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        sum += tile[l + k] * coefficients[k + RADIUS];
    out[g] = sum;
}

int main()
{
    const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK, padded = blocks * BLOCK + 2 * RADIUS;
    float h_coefficients[] = {1, 2, 3, 4, 3, 2, 1};
    float *in = new float[padded](), *out = new float[n];
    for (int i = 0; i < n; ++i)
        in[i + RADIUS] = float(i % 17);
    float *d_in, *d_out;
    cudaMalloc(&d_in, padded * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof(h_coefficients));
    cudaMemcpy(d_in, in, padded * sizeof(float), cudaMemcpyHostToDevice);
    stencil<<<blocks, BLOCK>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int h_outside = -1;
    cudaMemcpyFromSymbol(&h_outside, outside, sizeof(int));

    bool passed = h_outside == blocks * BLOCK - n;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            sum += in[i + k] * h_coefficients[k];
        passed = passed && sum == out[i];
    }
    printf("stencil %s\n", passed ? "passed" : "FAILED");
    cudaFree(d_in);
    cudaFree(d_out);
    delete[] in;
    delete[] out;
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
