// How many launches and blocks are counted, and which rows the table has of them.
// WITH --extended-lambda
// WITH -std=c++20
#include <array>
#include <cmath>
#include <cpu_device/launches.hpp>
#include "cases.hpp"

// CASE many_kernels
// More shapes than a table should have rows: the rest is one line.
// RUN => 0 and 20 launches in 10 more configurations
// RUN => 0 touch<1> +8 +32 +2 +16 +4\.00
namespace many_kernels {
template <int N>
__global__ void touch(int* x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += N;
}

CASE(many_kernels)
{
    int* x = uninitialized<int>(1024);
    for (int round = 0; round < 2; ++round) {
        touch<1><<<8, 32>>>(x);
        for (int blocks = 1; blocks < 50; ++blocks)
            touch<2><<<blocks % 8 + 1, blocks / 8 + 1>>>(x);
    }
}
} // namespace many_kernels

// CASE arguments_differ
// SLOW
// Launches of one configuration whose argument decides what they move have a row each.
// RUN => 0 (?s)stride\s+s 1\s+4096\s+256\s+1\s+32,768\s+4\.00.*stride\s+s 32\s+4096\s+256\s+3\s+98,304\s+32\.00.*stride\s+s 1\s+4096\s+256\s+1\s+[\d.]+\s.*stride\s+s 32\s+4096\s+256\s+3\s+[\d.]+\s
__global__ void stride(float* a, int s) { int i = (blockIdx.x * blockDim.x + threadIdx.x) * s; a[i] = a[i] + 1; }
CASE(arguments_differ)
{
    const int n = 1 << 20;
    float* a = array<float>(n * 33);
    stride<<<n / 256, 256>>>(a, 1);
    stride<<<n / 256, 256>>>(a, 32);
    stride<<<n / 256, 256>>>(a, 32);
    stride<<<n / 256, 256>>>(a, 32);
}

// CASE arithmetic
// SLOW
// Of a kernel that computes for long between its accesses, no memory is said to limit it.
// RUN => 0 (?s)heavy\s+has\s+no\s+modelled\s+time:\s+it\s+spends\s+a\s+long\s+time\s+on\s+arithmetic
__global__ void heavy(const float* a, float* o)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 256; k++) x = expf(-x * x) / (1.0f + sqrtf(x * x + k));
    o[i] = x;
}
CASE(arithmetic)
{
    const int n = 1 << 18;
    heavy<<<n / 256, 256>>>(array<float>(n), uninitialized<float>(n));
}

// CASE shuffles
// SLOW
// Lanes that exchange values take this host long and a GPU not: such a kernel has its modelled time.
// RUN => 0 \nshuffle +[\d.]+ \(
__global__ void shuffle(const float* a, float* o)
{
    float x = a[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 48; ++k) x += __shfl_xor_sync(~0u, x, 1 + k % 31);
    if (threadIdx.x == 0) o[blockIdx.x] = x;
}
CASE(shuffles)
{
    shuffle<<<2048, 256>>>(array<float>(1 << 19), uninitialized<float>(2048));
}

// CASE constant_reads
// Reads of constant memory are accesses as well.
// RUN => 0 (?s)\nsum_table +[\d.]+ \(.*sum_table is limited by constant: constant memory is saturated
__constant__ int table[512];
__global__ void sum_table(int* o)
{
    int sum = 0;
    for (int i = 0; i < 512; ++i) sum += table[i];
    o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
CASE(constant_reads) { sum_table<<<256, 256>>>(uninitialized<int>(1 << 16)); }

// CASE big_launch
// SLOW
// A launch that makes many requests is counted by a sample of its blocks: the counts are those of all, and so are the results.
// RUN => 0 (?s)right\n.*mmul\s+16x16\s+32x32\s+1\s+8,388,608\s+2\.50\s.*scaled\s+from\s+a\s+sample\s+of\s+their\s+blocks.*\(mmul:\s+\d+\s+of\s+256\s+blocks\)
// RUN MOVING_BYTES_COUNT=all => 0 (?s)right\n.*mmul\s+16x16\s+32x32\s+1\s+8,388,608\s+2\.50\s(?!.*sample)
__global__ void mmul(const float* A, const float* B, float* C, int n)
{
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    float t = 0;
    for (int i = 0; i < n; i++) t += A[y * n + i] * B[i * n + x];
    C[y * n + x] = t;
}
CASE(big_launch)
{
    const int n = 512;
    std::vector<float> a(n * n), ones(n * n, 1);
    for (int i = 0; i < n * n; ++i) a[i] = i % n;
    float* c = uninitialized<float>(n * n);
    mmul<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(uploaded(a), uploaded(ones), c, n);
    int wrong = 0;
    for (float x : downloaded(c, n * n)) wrong += x != n * (n - 1) / 2;
    puts(wrong ? "wrong" : "right");
}

// CASE sum_in_memory
// SLOW
// A loop that adds to one word of global memory does not wait for it: a large launch is counted by a sample.
// RUN => 0 (?s)right\n.*matmul\s+32x32\s+16x16\s+1\s+[\d,]+\s.*\(matmul:\s+\d+\s+of\s+1,024\s+blocks\)
__global__ void matmul(double* c, const double* a, const double* b, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < n; ++k) c[y * n + x] += a[y * n + k] * b[k * n + x];
}
CASE(sum_in_memory)
{
    const int n = 512;
    const std::vector<double> ones(n * n, 1);
    double* c = array<double>(n * n);
    matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, uploaded(ones), uploaded(ones), n);
    for (double sum : downloaded(c, n * n))
        if (sum != n) return;
    printf("right\n");
}

// CASE long_first_block
// A launch of which a sample is counted, and a first block a thousand times as long as the others: it
// stands for itself alone, so that both counts are exact.
// RUN => 0 long_first +65536 +256 +1 +4,258,240 +4\.00 +100 % +524,288 .*\n(.*\n)*Counts of large launches are scaled from a sample of their blocks, spread over the grid \(long_first: \d+,\d+ of 65,536\s+blocks\)
// RUN MOVING_BYTES_COUNT=all => 0 long_first +65536 +256 +1 +4,258,240 +4\.00 +100 % +524,288
constexpr unsigned blocks = 65536, threads = 256, rounds = 8, of_the_first = 8000;

__global__ void long_first(const float* a, float* c)
{
    float sum = 0;
    const unsigned own = blockIdx.x == 0 ? of_the_first : rounds;
    for (unsigned round = 0; round < own; ++round)
        sum += a[round * threads + threadIdx.x];
    c[blockIdx.x * threads + threadIdx.x] = sum;
}

CASE(long_first_block)
{
    long_first<<<blocks, threads>>>(array<float>(of_the_first * threads), uninitialized<float>(blocks * threads));
}

// CASE causal_mask
// A launch of which a sample is counted, whose first blocks return at once: what they tell is true of no other.
// SLOW
// WITH -std=c++20
// RUN => 0 right within 5 %, by less than a sixth of the blocks
// RUN MOVING_BYTES_COUNT=all => 0 right within 5 %, by all blocks
namespace causal_mask {
constexpr int side = 1024, rounds = 64;

__global__ void causal(const float* in, float* out)
{
    const int row = blockIdx.x / side, column = blockIdx.x % side;
    if (column > row) return;
    float sum = 0;
    for (int i = 0; i < rounds; ++i) sum += in[(row * rounds + i) % side * 32 + threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

CASE(causal_mask)
{
    causal<<<side * side, 32>>>(array<float>(side * 32), uninitialized<float>(side * side * 32));
    cudaDeviceSynchronize();
    const auto& launch = cpu_device::launches().front();
    const double exact = rounds * side * (side + 1) / 2.0;
    const double error = std::abs(launch.counts.load_requests / exact - 1);
    std::printf("%s within 5 %%, by %s\n", error < 0.05 ? "right" : "not right",
                launch.counted_blocks == 0                  ? "all blocks"
                : launch.counted_blocks < side * side / 6.0 ? "less than a sixth of the blocks"
                                                            : "too many blocks");
}
} // namespace causal_mask

// CASE host_functions
// That nothing is told of what the host does hides nothing of what kernels do: a lambda inside a function of the host, what
// both sides call, and what is constant to both.
// WITH --extended-lambda -std=c++20
// RUN => 0 loads of 3 kernels: 32 32 32, sum 528
constexpr int warps = 32;
constexpr float doubled(const float* a, int i) { return a[i] + a[i]; }
__host__ __device__ float one(const float* a, int i) { return a[i]; }
__global__ void with_constant(float* out, const float* a) { out[blockIdx.x * 32 + threadIdx.x] = doubled(a, blockIdx.x * 32 + threadIdx.x); }
__global__ void with_both(float* out, const float* a) { out[blockIdx.x * 32 + threadIdx.x] = one(a, blockIdx.x * 32 + threadIdx.x); }
template<class F>
__global__ void with_lambda(F f) { f(blockIdx.x * 32 + threadIdx.x); }
void launch_lambda(float* out, const float* a)
{
    with_lambda<<<warps, 32>>>([=] __device__(int i) { out[i] = a[i]; });
}
float sum_of(const float* a, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += one(a, i);
    return sum;
}
CASE(host_functions)
{
    std::vector<float> host(warps * 32);
    for (int i = 0; i < 32; ++i) host[i] = i + 1;
    float *out = uninitialized<float>(warps * 32), *a = uploaded(host);
    with_constant<<<warps, 32>>>(out, a);
    with_both<<<warps, 32>>>(out, a);
    launch_lambda(out, a);
    printf("loads of 3 kernels:");
    for (const auto& launch : cpu_device::launches()) printf(" %d", static_cast<int>(launch.counts.load_requests));
    printf(", sum %g\n", sum_of(downloaded(out, warps * 32).data(), warps * 32));
}

// CASE many_small_launches
// Launches that make next to no requests are counted 128 times at most: counting one takes some milliseconds in any case.
// RUN => 0 (?s)\A1000\n.*1,000 kernel launches, executed and 128 of them counted.*872\s+repeats\s+ran\s+at\s+full\s+speed
// RUN MOVING_BYTES_COUNT=all => 0 (?s)\A1000\n.*1,000 kernel launches, executed and counted
__global__ void add_one(int* x) { if (threadIdx.x == 0) ++*x; }
CASE(many_small_launches)
{
    int* d = array<int>(1);
    for (int i = 0; i < 1000; ++i) add_one<<<1, 32>>>(d);
    printf("%d\n", downloaded(d, 1)[0]);
}

// CASE read_again
// Rows that a warp reads three times: what the L2 still has of them follows from what all warps read in
// between, of which one block in many is counted.
// RUN => 0 read_again +4096 +256 +1 +0\.01\d+ [^$]*read_again +1024 +256 +1 +0\.04\d+ 
namespace read_again {
constexpr unsigned warp = 32;

__global__ void read_again(const float* a, float* c, unsigned floats)
{
    const size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / warp;
    float known = 0;
    for (int pass = 0; pass < 3; ++pass) {
        float sum = 0;
        for (unsigned i = threadIdx.x % warp; i < floats; i += warp)
            sum += __ldcg(a + row * floats + i) - known;
        for (unsigned offset = warp / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(~0U, sum, offset);
        known = sum;
    }
    c[row * warp + threadIdx.x % warp] = known;
}

CASE(read_again)
{
    const size_t n = size_t{1} << 24;
    float *a = array<float>(n), *c = uninitialized<float>(n);
    for (const unsigned floats : {512U, 2048U})
        read_again<<<unsigned(n / floats / 8), 256>>>(a, c, floats);
}
} // namespace read_again

// CASE zero_copy
// SLOW
// What a kernel reads of the memory of the host comes over the link.
// RUN => 0 (?s)no error.*device_mem\s+[\d.]+ \([\d. to]+\)\s+\d+\s+(?!host).*host_mem\s+[\d.]+ \([\d. to]+\)\s+\d+\s+host\s.*the\s+link\s+to\s+the\s+host
__global__ void device_mem(const float* a, float* o) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = a[i] + 1; }
__global__ void host_mem(const float* a, float* o) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = a[i] + 1; }
CASE(zero_copy)
{
    const int n = 1 << 24;
    float *h, *m, *a = uninitialized<float>(n), *o = uninitialized<float>(n);
    cudaHostAlloc(&h, n * 4, cudaHostAllocMapped);
    for (int i = 0; i < n; i++) h[i] = i;
    cudaHostGetDevicePointer(&m, h, 0);
    cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
    device_mem<<<n / 256, 256>>>(a, o);
    host_mem<<<n / 256, 256>>>(m, o);
}

// CASE same_addresses
// What the model looks at follows from addresses, so that these are the same in each run.
// RUN => 0 at 0x2\d{11}\n
namespace same_addresses {
__global__ void touch(float* a)
{
    a[threadIdx.x] = 1;
}

CASE(same_addresses)
{
    float* a = uninitialized<float>(32);
    touch<<<1, 32>>>(a);
    std::printf("at %p\n", static_cast<void*>(a));
}
} // namespace same_addresses

// CASE local_memory
// Arrays that no compiler keeps in registers, wherever they are declared and whoever has the index, are counted apart and told with their
// lines, also where all lanes have the same index; others are not.
// RUN => 0 (?s)local\n.*same_index\s+has\s+its\s+array\s+at\s+counted\.cu:@same_index\s.*in_class\s+has\s+its\s+array\s+at\s+counted\.cu:@in_class\s.*in_std_array\s+has\s+its\s+array\s+at\s+counted\.cu:@in_std_array\s.*by_pointer\s+has\s+its\s+array\s+at\s+counted\.cu:@by_pointer\s.*by_function\s+has\s+its\s+array\s+at\s+counted\.cu:@by_function\s.*book/09_local_memory
// RUN => 0 (?s)\A(?!.*in_registers\s+has)(?!.*in_shared\s+has)(?!.*view\s+has).*in_registers
namespace local_memory {
struct Bins { int count[16]; };
struct View { const int* from; int* to; int stride; int operator()(int k) const { return from[k * stride]; } };
using Row = int[16];
constexpr int n = 1 << 12, rounds = 8;
__device__ int first_of() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ void bump(int* bins, int k) { ++bins[k]; }
__global__ void same_index(const int* a, int* out)
{
    int bins[16] = {}; // @same_index
    for (int k = 0; k < rounds; ++k) ++bins[a[k] % 16];
    out[first_of()] = bins[2];
}
__global__ void in_class(const int* a, int* out)
{
    Bins bins{}; // @in_class
    for (int k = 0; k < rounds; ++k) ++bins.count[a[k + first_of()] % 16];
    out[first_of()] = bins.count[2];
}
__global__ void in_std_array(const int* a, int* out)
{
    std::array<int, 16> bins = {}; // @in_std_array
    for (int k = 0; k < rounds; ++k) ++bins[a[k] % 16];
    out[first_of()] = bins[2];
}
__global__ void by_pointer(const int* a, int* out)
{
    Row bins = {};
    int row[16] = {}; // @by_pointer
    int* p = row;
    for (int k = 0; k < rounds; ++k) p[a[k] % 16] += k;
    out[first_of()] = row[2] + bins[3];
}
__global__ void by_function(const int* a, int* out)
{
    int bins[16] = {}; // @by_function
    for (int k = 0; k < rounds; ++k) bump(bins, a[k + first_of()] % 16);
    out[first_of()] = bins[2];
}
__global__ void in_shared(const int* a, int* out)
{
    __shared__ int bins[16][128];
    for (int k = 0; k < 16; ++k) bins[k][threadIdx.x] = 0;
    for (int k = 0; k < rounds; ++k) ++bins[a[k] % 16][threadIdx.x];
    out[first_of()] = bins[2][threadIdx.x];
}
__global__ void view(const int* a, int* out)
{
    View v{a, out, 3};
    const int* p = v.from + first_of();
    v.to[first_of()] = v(2) + p[0];
}
__global__ void in_registers(const int* a, int* out)
{
    int v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = a[k];
#pragma unroll
    for (int k = 0; k < 7; ++k) v[k + 1] += v[k];
    out[first_of()] = v[7];
}
CASE(local_memory)
{
    std::vector<int> host(2 * n);
    for (int i = 0; i < 2 * n; ++i) host[i] = i * 7;
    int *a = uploaded(host), *out = uninitialized<int>(n);
    same_index<<<n / 128, 128>>>(a, out);
    in_class<<<n / 128, 128>>>(a, out);
    in_std_array<<<n / 128, 128>>>(a, out);
    by_pointer<<<n / 128, 128>>>(a, out);
    by_function<<<n / 128, 128>>>(a, out);
    in_shared<<<n / 128, 128>>>(a, out);
    view<<<n / 128, 128>>>(a, out);
    in_registers<<<n / 128, 128>>>(a, out);
}
} // namespace local_memory
