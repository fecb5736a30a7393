// The game of life on pitched rows: a glider moves one cell down and right in four generations.
// RUN => 0 the glider moved
#include <cstdio>
#include <cstring>
#include <utility>

__global__ void step(const unsigned char* from, unsigned char* to, size_t pitch, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += from[((y + dy + h) % h) * pitch + (x + dx + w) % w];
    const unsigned char self = from[y * pitch + x];
    to[y * pitch + x] = alive == 3 || (alive == 2 && self);
}

int main()
{
    const int w = 37, h = 21;
    static unsigned char start[h][w], end[h][w];
    start[1][2] = start[2][3] = start[3][1] = start[3][2] = start[3][3] = 1;
    unsigned char *a, *b;
    size_t pitch;
    cudaMallocPitch((void**)&a, &pitch, w, h);
    cudaMallocPitch((void**)&b, &pitch, w, h);
    cudaMemcpy2D(a, pitch, start, w, w, h, cudaMemcpyHostToDevice);
    for (int generation = 0; generation < 4; ++generation) {
        step<<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(a, b, pitch, w, h);
        std::swap(a, b);
    }
    cudaMemcpy2D(end, w, a, pitch, w, h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y + 1 < h; ++y)
        for (int x = 0; x + 1 < w; ++x)
            wrong += end[y + 1][x + 1] != start[y][x];
    puts(wrong ? "the glider broke" : "the glider moved");
    return wrong != 0;
}
