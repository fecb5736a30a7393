// A second opinion: copy and add at 2^28 floats, timed by a harness that shares no code with
// common. It prints two figures for each:
//
//   single   one launch between two events, after a kernel that summed 1 GiB of other data; the
//            mean of the middle half of 100 such launches
//   chained  100 launches between two events, so that each pays for the dirty lines its
//            predecessor left in the L2; the arrays are far larger than the L2, which keeps it cold
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t n = std::size_t{1} << 28;
constexpr int launches = 100;

void require(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void copy(const float* a, float* c)
{
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}

__global__ void add(const float* a, const float* b, float* c)
{
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void sum(const float* data, float* total)
{
    float mine = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
        mine += data[i];
    atomicAdd(total, mine);
}

template<class Work>
float milliseconds(Work work)
{
    cudaEvent_t start;
    cudaEvent_t stop;
    require(cudaEventCreate(&start));
    require(cudaEventCreate(&stop));
    require(cudaEventRecord(start));
    work();
    require(cudaEventRecord(stop));
    require(cudaGetLastError());
    require(cudaEventSynchronize(stop));
    float elapsed = 0;
    require(cudaEventElapsedTime(&elapsed, start, stop));
    require(cudaEventDestroy(start));
    require(cudaEventDestroy(stop));
    return elapsed;
}

template<class Work>
void report(const char* name, double bytes, const float* other, float* total, Work work)
{
    std::vector<float> times(launches);
    for (float& time : times) {
        sum<<<2048, 256>>>(other, total);
        time = milliseconds(work);
    }
    std::sort(times.begin(), times.end());
    const double single =
        std::accumulate(times.begin() + launches / 4, times.end() - launches / 4, 0.0) /
        (launches - 2 * (launches / 4));
    const double chained = milliseconds([&] {
                               for (int i = 0; i < launches; ++i)
                                   work();
                           }) /
                           launches;
    std::printf("%-5s 2^28 floats  single %7.1f GB/s  chained %7.1f GB/s\n", name,
                bytes / (single * 1e6), bytes / (chained * 1e6));
}

} // namespace

int main()
{
    constexpr unsigned threads = 256;
    constexpr unsigned blocks = n / threads;
    std::vector<float*> arrays(4);
    for (float*& array : arrays) {
        require(cudaMalloc(&array, n * sizeof(float)));
        require(cudaMemset(array, 0, n * sizeof(float)));
    }
    float* total = nullptr;
    require(cudaMalloc(&total, sizeof(float)));
    require(cudaMemset(total, 0, sizeof(float)));

    const double array_bytes = static_cast<double>(n * sizeof(float));
    report("copy", 2 * array_bytes, arrays[3], total,
           [&] { copy<<<blocks, threads>>>(arrays[0], arrays[2]); });
    report("add", 3 * array_bytes, arrays[3], total,
           [&] { add<<<blocks, threads>>>(arrays[0], arrays[1], arrays[2]); });
}
