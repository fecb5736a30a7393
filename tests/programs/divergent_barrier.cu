// A barrier that half of the block never reaches.
__global__ void half_a_barrier(int* x)
{
    if (threadIdx.x < 64) {
        x[threadIdx.x] = 1;
        __syncthreads();
        x[threadIdx.x] = x[63 - threadIdx.x];
    } else {
        x[threadIdx.x] = 2;
        __syncthreads();
    }
}

int main()
{
    int* x;
    cudaMalloc(&x, 128 * sizeof(int));
    half_a_barrier<<<1, 128>>>(x);
    cudaDeviceSynchronize();
}
