// WITH -std=c++20
// RUN MOVING_BYTES_COUNT=2 => 0 0 wrong, 1 of 2 kinds left out[^$]*called 20 times[^$]*repeats\s+were\s+not\s+even\s+executed
// RUN MOVING_BYTES_COUNT=all => 0 0 wrong, 0 of 2 kinds left out[^$]*executed and counted
// A repeat that would leave all memory as it is need not run. All others must: each loop below shows one that would be
// missed if something that a kernel reads, writes or prints were forgotten.
#include <cpu_device/launches.hpp>
#include <cstdio>
#include <vector>
constexpr int n = 1 << 16, threads = 256, blocks = n / threads, repeats = 20;
__device__ int late_blocks;
__device__ int step = 1;
struct Both { const int* in; int* out; };
__global__ void twice(const int* in, int* out) { const int i = blockIdx.x * threads + threadIdx.x; out[i] = 2 * in[i]; }
__global__ void twice_of(Both both) { const int i = blockIdx.x * threads + threadIdx.x; both.out[i] = 2 * both.in[i]; }
__global__ void add(int* out, int value) { out[blockIdx.x * threads + threadIdx.x] += value; }
__global__ void count_late() { if (blockIdx.x == blocks - 1 && threadIdx.x == 0) late_blocks += step; }
__global__ void store_step(int* out) { out[blockIdx.x * threads + threadIdx.x] = step; }
__global__ void tell() { if (threadIdx.x == 0) printf("called\n"); }
int main()
{
    std::vector<int> host(n, 1);
    int *a, *b, *scratch;
    cudaMalloc(&a, n * sizeof(int)), cudaMalloc(&b, n * sizeof(int)), cudaMalloc(&scratch, n * sizeof(int));
    int wrong = 0;
    const auto set = [&](int* to, int value) {
        host.assign(n, value);
        cudaMemcpy(to, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    };
    const auto expect = [&](const int* from, int value) {
        cudaMemcpy(host.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost);
        for (int element : host) wrong += element != value;
    };
    // Left out, with a fill of other memory between, as benchmarks do.
    set(a, 1);
    for (int i = 0; i < repeats; ++i) cudaMemset(scratch, 0, n * sizeof(int)), twice<<<blocks, threads>>>(a, b);
    expect(b, 2);
    // Its input is another one, by a copy, by a fill, by a kernel; its output is spoilt.
    for (int i = 0; i < repeats; ++i) set(a, i), twice<<<blocks, threads>>>(a, b), expect(b, 2 * i);
    for (int i = 0; i < repeats; ++i) cudaMemset(a, i, n * sizeof(int)), twice<<<blocks, threads>>>(a, b), expect(b, 2 * 0x01010101 * i);
    for (int i = 0; i < repeats; ++i) set(b, 5), twice<<<blocks, threads>>>(a, b), expect(b, 2 * 0x01010101 * (repeats - 1));
    set(a, 0);
    for (int i = 1; i <= repeats; ++i) add<<<blocks, threads>>>(a, 1), twice<<<blocks, threads>>>(a, b), expect(b, 2 * i);
    // Adding nothing changes nothing, adding something does.
    for (int i = 0; i < 2 * repeats; ++i) add<<<blocks, threads>>>(a, i < repeats ? 0 : 1);
    expect(a, 2 * repeats);
    // Other arguments, the same bytes of memory.
    set(a, 3), set(b, 4);
    for (int i = 0; i < repeats; ++i) twice_of<<<blocks, threads>>>(i % 2 ? Both{a, scratch} : Both{b, scratch}), expect(scratch, i % 2 ? 6 : 8);
    // Variables of the program: one that the last block alone counts in, one that the host sets.
    for (int i = 0; i < repeats; ++i) count_late<<<blocks, threads>>>();
    int late = 0;
    cudaMemcpyFromSymbol(&late, late_blocks, sizeof late);
    wrong += late != repeats;
    for (int i = 0; i < 3 * repeats; ++i) {
        if (const int value = i / 10; i % 10 == 0) cudaMemcpyToSymbol(step, &value, sizeof value);
        store_step<<<blocks, threads>>>(a);
        if (i % 10 == 9) expect(a, i / 10);
    }
    // Printing is an effect, too.
    for (int i = 0; i < repeats; ++i) tell<<<1, threads>>>();
    // The host writes managed memory while nobody looks.
    int* shared;
    cudaMallocManaged(&shared, n * sizeof(int));
    for (int i = 0; i < repeats; ++i) {
        for (int j = 0; j < n; ++j) shared[j] = i;
        twice<<<blocks, threads>>>(shared, b);
        expect(b, 2 * i);
    }
    cudaFree(shared);
    std::uint64_t left_out = 0, printing = 0;
    for (const auto& launch : cpu_device::launches()) (launch.kernel == "tell" ? printing : left_out) += launch.left_out;
    std::printf("%d wrong, %d of 2 kinds left out; called %d times\n", wrong, (left_out > 0) + (printing > 0), repeats);
    return wrong != 0;
}
