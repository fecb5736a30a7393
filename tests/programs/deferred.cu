// Launches that are put off until somebody looks. No kernel of the program prints, and it has no __managed__ variable: then
// nothing is put off.
// WITH -std=c++20
#include <cpu_device/launches.hpp>
#include "cases.hpp"

constexpr int n = 1 << 14, threads = 256, blocks = n / threads, repeats = 20;
__global__ void add(int* out, int value) { out[blockIdx.x * threads + threadIdx.x] += value; }

// CASE deferred_for_long
// More launches at which nobody looks than may be put off: all of them run, those behind too, and the sum is theirs.
// RUN MOVING_BYTES_COUNT=1 => 0 20000 of 20000\n[^$]*executed and 1 of them counted
__global__ void add_one(int* sum) { *sum += 1; }
CASE(deferred_for_long)
{
    constexpr int launches = 20000;
    int* sum = array<int>(1);
    for (int i = 0; i < launches; ++i) add_one<<<1, 1>>>(sum);
    std::printf("%d of %d\n", downloaded(sum, 1)[0], launches);
}

// CASE deferred
// A repeat that nothing looks at need not run. Each loop below looks in another way, and would be wrong if what was put
// off were forgotten, or done too late, or in another order.
// RUN MOVING_BYTES_COUNT=1 => 0 \b0 wrong, some put off[^$]*repeats\s+were\s+skipped\s+because\s+nothing\s+used
// RUN MOVING_BYTES_COUNT=all => 0 \b0 wrong, none put off[^$]*executed and counted
__device__ int total;
__global__ void add_other(const int* in, int* out) { out[blockIdx.x * threads + threadIdx.x] += in[blockIdx.x * threads + threadIdx.x]; }
__global__ void add_up(const int* in) { if (threadIdx.x == 0) atomicAdd(&total, in[blockIdx.x * threads]); }
std::uint64_t count_deferred()
{
    std::uint64_t all = 0;
    for (const auto& launch : cpu_device::launches()) all += launch.deferred;
    return all;
}
CASE(deferred)
{
    int *a = array<int>(n), *b = array<int>(n);
    int wrong = 0;
    const auto expect = [&](const int* from, int value) {
        for (int element : downloaded(from, n)) wrong += element != value;
    };
    const auto add_again = [&](int* to) { for (int i = 0; i < repeats; ++i) add<<<blocks, threads>>>(to, 1); };
    // Once counted, then put off; waiting is not looking. A copy to the host is.
    add_again(a);
    cudaDeviceSynchronize();
    const bool some = count_deferred() > 0;
    expect(a, repeats);
    wrong += count_deferred() != 0;
    // A copy to the device, or to another array, finds what was launched before it, and does not change it.
    add_again(a);
    const std::vector<int> host(n, 5);
    cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    expect(a, 5);
    add_again(a);
    cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice);
    add_again(a);
    expect(b, 5 + repeats), expect(a, 5 + 2 * repeats);
    // Fills keep their place among the launches.
    for (int i = 0; i < repeats; ++i) add<<<blocks, threads>>>(a, 1), cudaMemset(a, 0, n * sizeof(int)), add<<<blocks, threads>>>(a, 1);
    expect(a, 1);
    // A launch that has to be counted reads what others were to write; so does one with other arguments.
    add_again(a);
    add_other<<<blocks, threads>>>(a, b);
    expect(b, 5 + repeats + 1 + repeats);
    add_again(a);
    add<<<blocks, threads>>>(a, 7);
    expect(a, 1 + 2 * repeats + 7);
    // What was freed in between was there when it was launched; new memory is other memory.
    int* c = array<int>(n);
    cudaMemset(b, 0, n * sizeof(int));
    add<<<blocks, threads>>>(c, 1), add_other<<<blocks, threads>>>(c, b);
    for (int i = 1; i < repeats; ++i) add<<<blocks, threads>>>(c, 1), add_other<<<blocks, threads>>>(c, b);
    cudaFree(c);
    wrong += cudaFree(c) != cudaErrorInvalidValue;
    int* d = array<int>(n);
    expect(d, 0), expect(b, repeats * (repeats + 1) / 2);
    // A variable of the program.
    cudaMemset(a, 1, n * sizeof(int));
    for (int i = 0; i < repeats; ++i) add_up<<<blocks, threads>>>(a);
    int sum = 0;
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    wrong += sum != static_cast<int>(0x01010101u * repeats * blocks);
    // To wait for a stream is not to look.
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemset(a, 0, n * sizeof(int));
    for (int i = 0; i < repeats; ++i) add<<<blocks, threads, 0, stream>>>(a, 1), cudaStreamSynchronize(stream);
    expect(a, repeats);
    // Memory that the host shares is looked at all the time.
    add_again(a);
    int* shared = managed_array<int>(n);
    for (int i = 1; i <= repeats; ++i) {
        add_other<<<blocks, threads>>>(a, shared);
        cudaDeviceSynchronize();
        wrong += shared[n - 1] != i * 2 * repeats;
    }
    cudaFree(shared);
    add_again(a); // nobody looks any more
    std::printf("%d wrong, %s put off\n", wrong, some && count_deferred() > 0 ? "some" : "none");
}
