// No `if (i < n)`: the last block runs past the end of the array.
__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

int main()
{
    float* x;
    cudaMalloc(&x, 1000 * sizeof(float));
    fill<<<4, 256>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
