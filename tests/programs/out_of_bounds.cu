// No `if (i < n)`: the last block runs past the end of the array.
// RUN => 6 fill
// RUN => 6 block \(3, 0, 0\), thread \(2[0-9]+, 0, 0\)
// RUN => 6 0x[0-9a-f]+
__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

int main()
{
    float* x;
    cudaMalloc(&x, 1000 * sizeof(float));
    fill<<<4, 256>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
