// WITH -std=c++20
// RUN MOVING_BYTES_COUNT=2 => 0 10 launches kept[^$]*executed and 10 of them counted[^$]*90 repeats ran at full speed
// RUN MOVING_BYTES_COUNT=all => 0 100 launches kept[^$]*executed and counted
// Repeated launches, as benchmarks make them, compute the same uncounted: by elements, with barriers, in warps,
// with atomics, and with all of a program's variables.
#include <cpu_device/launches.hpp>
#include <cstdio>
#include <vector>
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
constexpr int side = 256, n = side * side, repeats = 20;
template<class T>
__device__ T sum_of_warp(T value)
{
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}
template<class T>
__global__ void sum(const T* in, T* out)
{
    extern __shared__ T partial[];
    const T mine = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const T all = sum_of_warp(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T());
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
static __device__ int calls;
__constant__ int step;
__device__ int first_of_row() { return threadIdx.x == 0; }
static __global__ void count_rows() { atomicAdd(&calls, step * first_of_row()); }
__global__ void halve(int* values, int count) // barriers in a loop, and threads that leave early
{
    if (threadIdx.x >= count) return;
    for (int half = count / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
}
template<class Launch>
void repeat(Launch launch)
{
    for (int i = 0; i < repeats; ++i) launch();
    cudaDeviceSynchronize();
}
int main()
{
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) a[i] = i % 1000, b[i] = i % 7;
    float *da, *db, *dc;
    int* values;
    cudaMalloc(&da, n * sizeof(float)), cudaMalloc(&db, n * sizeof(float)), cudaMalloc(&dc, n * sizeof(float));
    cudaMallocManaged(&values, 64 * sizeof(int));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int wrong = 0;
    repeat([&] { add<<<n / 256, 256>>>(da, db, dc, n); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
    repeat([&] { transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(da, dc, side); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i % side * side + i / side];
    repeat([&] { sum<float><<<n / 256, 256, 8 * sizeof(float)>>>(da, dc); });
    cudaMemcpy(c.data(), dc, n / 256 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int block = 0; block < n / 256; ++block) {
        float expected = 0;
        for (int i = 0; i < 256; ++i) expected += a[block * 256 + i];
        wrong += c[block] != expected;
    }
    const int three = 3;
    cudaMemcpyToSymbol(step, &three, sizeof three);
    repeat([&] { count_rows<<<4, dim3(32, 4)>>>(); });
    int counted = 0;
    cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
    wrong += counted != 3 * 16 * repeats;
    repeat([&] {
        for (int i = 0; i < 64; ++i) values[i] = i;
        halve<<<1, 128>>>(values, 64);
        cudaDeviceSynchronize();
        wrong += values[0] != 2016;
    });
    printf("%d wrong, %zu launches kept\n", wrong, cpu_device::launches().size());
    return wrong != 0;
}
