// What the time model takes from a kernel that no chapter has: how long L2 takes for a line of
// which few sectors are wanted (l2_request). On a GPU
//     ./run experiments/constants/model_constants.cu -- 26
// prints milliseconds, the median of eleven launches after a flush of the L2.
// SLOW
// RUN => 0 lines_of_l2[^$]*ok
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// What L2 answers: as many sectors, of lines of which 1, 2 or 4 sectors are wanted, all of them in
/// L2.
__global__ void lines_of_l2(const float* a, float* c, unsigned lines, unsigned sectors)
{
    constexpr unsigned rounds = 64, warp = 32, floats_of_a_sector = 8, floats_of_a_line = 32;
    const unsigned lane = threadIdx.x % warp;
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) / warp * rounds;
    float sum = 0;
#pragma unroll 16
    for (unsigned i = 0; i < rounds; ++i) {
        const unsigned line = ((first + i) * (warp / sectors) + lane / sectors) % lines;
        sum += __ldcg(a + line * floats_of_a_line + lane % sectors * floats_of_a_sector);
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void flush(const float4* a, float* c, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(256) + threadIdx.x; i < n; i += gridDim.x * size_t(256))
        sum += a[i].x;
    if (sum == 1234567)
        *c = sum;
}

float* big = nullptr; ///< what the flush reads; null on the CPU device
float* sink;

template<class Launch>
void row(const char* name, size_t value, Launch launch)
{
    if (big == nullptr) {
        launch();
        std::printf("%s %zu\n", name, value);
        return;
    }
    cudaEvent_t begin;
    cudaEvent_t end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times(11);
    for (float& time : times) {
        flush<<<1056, 256>>>(reinterpret_cast<const float4*>(big), sink, size_t{1} << 24);
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-16s %12zu %10.4f ms\n", name, value, times[5]);
}

int main(int argc, char** argv)
{
    const size_t n = size_t{1} << (argc > 1 ? std::atoi(argv[1]) : 20);
    cudaDeviceProp card;
    cudaGetDeviceProperties(&card, 0);
    float* a;
    float* c;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&c, n * sizeof *c);
    cudaMalloc(&sink, sizeof *sink);
    cudaMemset(a, 0, n * sizeof *a);
    if (std::strstr(card.name, "CPU device") == nullptr) {
        cudaMalloc(&big, size_t{1} << 28);
        cudaMemset(big, 0, size_t{1} << 28);
    }
    const auto lines = unsigned(std::min(n, size_t{1} << 22) / 32); // 16 MiB
    for (const unsigned sectors : {1U, 2U, 4U})
        row("lines_of_l2", sectors,
            [=] { lines_of_l2<<<unsigned(n / 64 / 256), 256>>>(a, c, lines, sectors); });
    const bool ok = cudaDeviceSynchronize() == cudaSuccess;
    std::puts(ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
