// Naive, tiled and padded: the store of the naive one is scattered over 32 sectors, the tile
// without padding has 31 extra passes for each warp that reads a column.
// RUN => 0 transposes agree
// RUN => 0 transposeNaive +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +32\.00 +12\.5 % +0\n
// RUN => 0 transposeTiled +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +4\.00 +100 % +15 872\n
// RUN => 0 transposePadded +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +4\.00 +100 % +0\n
// RUN MOVING_BYTES_SEED=2 => 0 transposes agree
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;
const int N = 128;

__global__ void transposeNaive(float* odata, const float* idata)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[x * width + (y + j)] = idata[(y + j) * width + x];
}

__global__ void transposeTiled(float* odata, const float* idata)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposePadded(float* odata, const float* idata)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char** argv)
{
    const int bytes = N * N * sizeof(float);
    dim3 grid(N / TILE_DIM, N / TILE_DIM, 1), block(TILE_DIM, BLOCK_ROWS, 1);
    float* in = (float*)malloc(bytes);
    float* out = (float*)malloc(bytes);
    for (int i = 0; i < N * N; ++i)
        in[i] = (float)rand();
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    void (*kernels[])(float*, const float*) = {transposeNaive, transposeTiled, transposePadded};
    int wrong = 0;
    for (int k = 0; k < 3; ++k) {
        cudaMemset(d_out, 0, bytes);
        if (argc > 1) {
            kernels[k]<<<grid, block>>>(d_out, d_in);
        } else if (k == 0) {
            transposeNaive<<<grid, block>>>(d_out, d_in);
        } else if (k == 1) {
            transposeTiled<<<grid, block>>>(d_out, d_in);
        } else
            transposePadded<<<grid, block>>>(d_out, d_in);
        cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
        for (int y = 0; y < N; ++y)
            for (int x = 0; x < N; ++x)
                wrong += out[x * N + y] != in[y * N + x];
    }
    puts(wrong ? "transposes DIFFER" : "transposes agree");
    return wrong != 0;
}
