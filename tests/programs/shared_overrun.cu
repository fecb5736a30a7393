// A tile for a block of 16 x 16 threads, launched with 32 x 32.
// RUN => 6 kernel tile
// RUN => 6 thread \(16, 15, 0\): writes 4 bytes at 0x[0-9a-f]+, just past the end of __shared__ t \(1024 bytes\)
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
