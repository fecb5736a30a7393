// What an uncounted launch costs of the time of a counted one, without barriers and with them. Two
// are counted:
//     MOVING_BYTES_COUNT=2 ./run experiments/constants/repeats_cost.cu
// SLOW
// RUN MOVING_BYTES_COUNT=2 => 0 (?m)^0 wrong$
#include <cstdio>
#include <ctime>
#include <vector>
constexpr int tile_side = 32;
__global__ void add(const float* a, const float* b, float* c, size_t n)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void transpose(const float* in, float* out, int width)
{
    __shared__ float tile[tile_side][tile_side + 1];
    int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * tile_side + threadIdx.x, y = blockIdx.x * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y)
        out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
constexpr int side = 1024, n = side * side, repeats = 12;
double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}
template<class Launch>
void measure(const char* name, Launch launch)
{
    const double begin = cpu_seconds();
    launch();
    cudaDeviceSynchronize();
    const double counted = cpu_seconds();
    launch(); // perhaps counted
    const double middle = cpu_seconds();
    for (int i = 2; i < repeats; ++i)
        launch();
    cudaDeviceSynchronize();
    printf("%s: a repeat takes 1/%.1f of the first launch\n", name,
           (counted - begin) / ((cpu_seconds() - middle) / (repeats - 2)));
}
int main()
{
    std::vector<float> a(n), c(n);
    for (int i = 0; i < n; ++i)
        a[i] = i % 1000;
    float *da, *dc;
    cudaMalloc(&da, n * sizeof(float)), cudaMalloc(&dc, n * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int wrong = 0;
    measure("add", [&] { add<<<n / 256, 256>>>(da, da, dc, n); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        wrong += c[i] != a[i] + a[i];
    measure("transpose",
            [&] { transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(da, dc, side); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        wrong += c[i] != a[i % side * side + i / side];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
