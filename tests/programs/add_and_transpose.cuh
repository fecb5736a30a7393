// Two kernels that launches repeat: one without barriers, and one with, on tiles of 32 x 32.
#pragma once

constexpr int tile_side = 32;
__global__ void add(const float* a, const float* b, float* c, size_t n)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void transpose(const float* in, float* out, int width)
{
    __shared__ float tile[tile_side][tile_side + 1];
    int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * tile_side + threadIdx.x, y = blockIdx.x * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
