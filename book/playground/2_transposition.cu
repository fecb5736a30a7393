// Transposition: a tile in shared memory, and threads that wait for each other
#include <cstdio>
#include <vector>

constexpr int width = 32; // of a tile

// With `padding` 0, all that a warp accesses from a column of the tile lies in one bank.
template<int padding>
__global__ void transpose(const float* in, float* out, int n)
{
    __shared__ float tile[width][width + padding];
    const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * width;
    for (int row = threadIdx.y; row < width; row += blockDim.y) {
        tile[row][threadIdx.x] = in[(y + row) * n + x];
    }
    __syncthreads(); // take it away, and see
    const int column = blockIdx.y * width + threadIdx.x;
    for (int row = threadIdx.y; row < width; row += blockDim.y) {
        out[(blockIdx.x * width + row) * n + column] = tile[threadIdx.x][row];
    }
}

int main()
{
    const int n = 128;
    std::vector<float> before(n * n), after(n * n);
    for (int i = 0; i < n * n; ++i) {
        before[i] = i;
    }
    const std::size_t bytes = n * n * sizeof(float);
    float *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, before.data(), bytes, cudaMemcpyHostToDevice);
    const dim3 grid(n / width, n / width), block(width, 8);
    transpose<0><<<grid, block>>>(in, out, n);
    transpose<1><<<grid, block>>>(in, out, n);
    cudaMemcpy(after.data(), out, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            wrong += after[x * n + y] != before[y * n + x];
        }
    }
    std::printf("%d elements are wrong\n", wrong);
}
