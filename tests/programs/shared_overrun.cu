// A tile for a block of 16 x 16 threads, launched with 32 x 32.
__global__ void tile(float* out)
{
    __shared__ float t[16][16];
    t[threadIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

int main()
{
    float* out;
    cudaMalloc(&out, 32 * 32 * sizeof(float));
    tile<<<1, dim3(32, 32)>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
