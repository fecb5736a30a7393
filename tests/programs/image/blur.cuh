#pragma once
#include "pixel.cuh"

__global__ void to_grey(const uchar3* in, unsigned char* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = grey(in[y * width + x]);
}

__global__ void box_blur(const unsigned char* in, unsigned char* out, int width, int height, int r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int sum = 0, pixels = 0;
        for (int dy = -r; dy <= r; ++dy)
            for (int dx = -r; dx <= r; ++dx) {
                const int u = min(max(x + dx, 0), width - 1), v = y + dy;
                if (v >= 0 && v < height) {
                    sum += in[v * width + u];
                    ++pixels;
                }
            }
        out[y * width + x] = (unsigned char)(sum / pixels);
    }
}

inline void blur(const uchar3* in, unsigned char* grey, unsigned char* out, int w, int h, int r)
{
    dim3 block = dim3(16, 8);
    to_grey<<<dim3((w + 15) / 16, (h + 7) / 8), block>>>(in, grey, w, h);
    box_blur<<<dim3((w + 15) / 16, (h + 7) / 8), block>>>(grey, out, w, h, r);
}
