// What nothing orders, where a warning says more than that: which round, between whom, and what would help. And what is
// seen late, in the last block, or in a variable that nobody has set.
// CASE next_round
// RUN => 0 Warning: kernel staged [^.]*\.cu:\d+\),[^.]*__shared__\s+tile\s+at\s+unordered\.cu:@reads_tile,\s+which\s+thread[^.]*\s+writes\s+at\s+unordered\.cu:@stages\s+in\s+the\s+next\s+round,\s+with\s+no\s+__syncthreads
// CASE load_in_the_next_round
// RUN => 0 Warning: kernel swept [^.]*\.cu:\d+\),[^.]*__shared__\s+row\s+at\s+unordered\.cu:@loads_row\s+in\s+the\s+next\s+round,\s+which\s+thread[^.]*\s+writes\s+at\s+unordered\.cu:@stores_row\s+with\s+no\s+__syncthreads
// CASE flag
// RUN => 0 (?s)Warning: kernel all_reset [^.]*\.cu:\d+\),[^.]*uses[^.]*__shared__\s+changed\s+at\s+unordered\.cu:@tests_flag,\s+which\s+thread[^.]*\s+writes\s+at\s+unordered\.cu:@resets_flag\s+with\s+no(?!.*atomicAdd)
// CASE flag_of_one
// RUN => 0 (?s)Warning: kernel one_resets [^.]*\.cu:\d+\),[^.]*uses[^.]*__shared__\s+changed\s+at\s+unordered\.cu:@tests_flag_of_one,\s+which\s+thread\s+\(0,\s+0,\s+0\)\s+writes(?!.*atomicAdd)
// CASE lost_between_warps
// RUN SIZE=128 => 0 (?s)Warning: kernel splat [^.]*\.cu:\d+\),[^.]*read\s+byte[^.]*at\s+unordered\.cu:@splat,\s+and\s+then\s+both\s+write\s+it\s+at\s+unordered\.cu:@splat\.\s+A\s+GPU\s+keeps\s+only\s+one\s+of\s+simultaneous[^.]*__syncthreads\(\)\s+does\s+not\s+help\.\s+Use\s+32-bit\s+words\s+with\s+atomicAdd
// RUN SIZE=16 => 0 (?s)Warning: kernel splat [^.]*\.cu:\d+\),[^.]*threads\s+of\s+a\s+warp\s+read\s+byte.{,200}A\s+GPU\s+keeps\s+only\s+one\s+of\s+simultaneous\s+updates
// CASE lost_between_blocks
// RUN SIZE=1024 => 0 (?s)Warning: kernel splat [^.]*\.cu:\d+\),\s+block\s+\(\d+,.{,100}which\s+block\s+\(\d+,.{,100}The\s+blocks\s+of\s+a\s+launch\s+run\s+in\s+no\s+defined\s+order[^.]*one\s+of\s+two\s+updates\s+is\s+lost\.\s+Let\s+one\s+thread\s+update\s+each\s+element
// CASE short_stride
// RUN => 0 (?s)Warning: kernel add_one [^.]*\.cu:\d+\),\s+block\s+\(\d+,[^.]*unordered\.cu:@adds_one,\s+which\s+block\s+\(\d+,.{,100}The\s+blocks\s+of\s+a\s+launch\s+run\s+in\s+no\s+defined\s+order
// CASE in_place
// RUN => 0 (?s)Warning: kernel smooth [^.]*\.cu:\d+\),.{,300}Where\s+blocks\s+read\s+what\s+others\s+write,\s+no\s+barrier\s+helps:\s+store\s+to\s+a\s+second\s+array
// CASE in_two_arrays
// RUN => 0 (?s)^(?!.*Warning)
// CASE right_stride
// RUN => 0 (?s)^(?!.*Warning)
// CASE far_blocks_of_a_sample
// RUN => 0 (?s)Warning: kernel wraps [^.]*\.cu:\d+\),\s+block\s+\(\d+,.{,100}which\s+block.{,400}\(\d+\s+of\s+the\s+262144\s+blocks\s+were\s+compared\.\)
// CASE late_shared_race
// RUN => 0 Warning: kernel moments [^.]*\.cu:\d+\),[^.]*__shared__\s+part\s+at\s+unordered\.cu:@returns_part\b
// CASE late_histogram
// RUN => 0 Warning: kernel late_bins [^.]*\.cu:\d+\),[^.]*__shared__\s+bins\s+at\s+unordered\.cu:@reads_bins\b
// CASE last_block_overrun
// RUN => 6 kernel copy_pairs [^.]*\.cu:\d+\), block \(131072, 0, 0\), thread \(2, 0, 0\): reads 4 bytes[^.]*past the end of allocation \d
// CASE last_vector_overrun
// RUN => 6 kernel four_each [^.]*\.cu:\d+\), block \(131072, 0, 0\), thread \(0, 0, 0\): reads 4 bytes[^.]*reaching 2 bytes past the end of allocation \d \(\d+ bytes\)\. The access is at
// CASE uninitialized_sums
// RUN => 0 Warning: kernel column_sums [^.]*\.cu:\d+\),[^.]*thread\s+\(0,\s+0,\s+0\)\s+stores\s+at\s+unordered\.cu:@stores_sums\s+a\s+value\s+from\s+an\s+uninitialized\s+local\s+variable
// CASE uninitialized_count
// RUN => 0 Warning: kernel count_ones [^.]*\.cu:\d+\),[^.]*stores\s+at\s+unordered\.cu:@stores_count\s
// CASE initialized
// Padding, and a coordinate that nobody needs, may be unset.
// RUN => 0 (?s)^(?!.*Warning)
#include "cases.hpp"
#include <cstdlib>

namespace {

__global__ void staged(const int* in, int* out)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int round = 0; round < 2; ++round) {
        tile[threadIdx.x] = in[64 * round + threadIdx.x]; // @stages
        __syncthreads();
        sum += tile[63 - threadIdx.x]; // @reads_tile
    }
    out[threadIdx.x] = sum;
}
__global__ void swept(int* out)
{
    __shared__ int row[64];
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        const int next = row[(threadIdx.x + 40) % 64]; // @loads_row
        __syncthreads();
        row[threadIdx.x] = next; // @stores_row
    }
    out[threadIdx.x] = row[threadIdx.x];
}
__global__ void all_reset(int* out)
{
    __shared__ bool changed;
    changed = true;
    __syncthreads();
    int rounds = 0;
    while (changed) { // @tests_flag
        changed = false; // @resets_flag
        ++rounds;
        __syncthreads();
    }
    out[threadIdx.x] = rounds;
}
__global__ void one_resets(int* out)
{
    __shared__ bool changed;
    changed = true;
    __syncthreads();
    int rounds = 0;
    while (changed) { // @tests_flag_of_one
        if (threadIdx.x == 0)
            changed = false;
        ++rounds;
        __syncthreads();
    }
    out[threadIdx.x] = rounds;
}
__global__ void splat(unsigned char* pixels, int n, int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        pixels[i * 7 % size] += 50; // @splat
}
__global__ void add_one(float* a, int n, int stride)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        a[i] += 1; // @adds_one
}
/// The last block takes the elements of the first once more.
__global__ void smooth(const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < 1023)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}

__global__ void wraps(unsigned char* a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[blockIdx.x == gridDim.x - 1 ? threadIdx.x : i] += 1;
}
__device__ float block_sum(float v)
{
    __shared__ float part[32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (threadIdx.x == 0)
            part[0] = v;
    }
    __syncthreads();
    return part[0]; // @returns_part
}
__global__ void moments(const float* x, float* out, int n)
{
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        v += x[i];
    const float sum = block_sum(v);
    const float squares = block_sum(v * v);
    out[blockIdx.x * blockDim.x + threadIdx.x] = squares - sum;
}
__global__ void late_bins(const int* x, int* out, int n)
{
    __shared__ int bins[64];
    int last = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        last += x[i];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[last % 64], 1);
    out[threadIdx.x] = bins[threadIdx.x % 64]; // @reads_bins
}
__global__ void copy_pairs(const int* in, int* out, size_t n)
{
    size_t i = 2 * (size_t(blockIdx.x) * blockDim.x + threadIdx.x);
    const size_t remaining = n - i; // past the end: huge
    if (remaining < 2) {
        for (; i < n; ++i)
            out[i] = in[i];
    } else {
        out[i] = in[i];
        out[i + 1] = in[i + 1];
    }
}
__global__ void four_each(const char* in, char4* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n)
        out[i] = reinterpret_cast<const char4*>(in)[i];
}
struct eight
{
    float v[8];
};
__device__ eight add(eight a, const float* p)
{
    for (int k = 0; k < 8; ++k)
        a.v[k] += p[k];
    return a;
}
__global__ void column_sums(const float* a, float* out, int n)
{
    eight sum; // misses its "= {}"
    const int i = 8 * threadIdx.x;
    for (int row = 0; row < n; ++row)
        sum = add(sum, a + row * 256 + i);
    for (int k = 0; k < 8; ++k)
        out[i + k] = sum.v[k]; // @stores_sums
}
__global__ void count_ones(const int* a, int* out, int n)
{
    int count;
    for (int i = 0; i < n; ++i)
        count += a[i * 32 + threadIdx.x] == 1;
    out[threadIdx.x] = count; // @stores_count
}
__global__ void column_sums_from_zero(const float* a, float* out, int n)
{
    eight sum = {};
    const int i = 8 * threadIdx.x;
    for (int row = 0; row < n; ++row)
        sum = add(sum, a + row * 256 + i);
    for (int k = 0; k < 8; ++k)
        out[i + k] = sum.v[k];
}
struct mark
{
    char kind;
    int place;
};
__global__ void marks(mark* out, float4* points)
{
    mark own;
    own.kind = threadIdx.x;
    own.place = threadIdx.x;
    out[threadIdx.x] = own;
    float4 point;
    point.x = point.y = point.z = threadIdx.x;
    points[threadIdx.x] = point;
}

void run_splat()
{
    const int n = 4096;
    splat<<<n / 256, 256>>>(array<unsigned char>(4096), n, atoi(getenv("SIZE")));
}

} // namespace

CASE(next_round)
{
    staged<<<1, 64>>>(array<int>(128), array<int>(64));
}
CASE(load_in_the_next_round)
{
    swept<<<1, 64>>>(array<int>(64));
}
CASE(flag)
{
    all_reset<<<1, 64>>>(array<int>(64));
}
CASE(flag_of_one)
{
    one_resets<<<1, 64>>>(array<int>(64));
}
CASE(lost_between_warps) { run_splat(); }
CASE(lost_between_blocks) { run_splat(); }
CASE(in_place)
{
    float* const x = array<float>(1024);
    smooth<<<4, 256>>>(x, x);
}
CASE(in_two_arrays)
{
    smooth<<<4, 256>>>(array<float>(1024), array<float>(1024));
}
CASE(short_stride)
{
    add_one<<<264, 256>>>(array<float>(1 << 20), 1 << 20, 255 * 264);
}
CASE(right_stride)
{
    add_one<<<264, 256>>>(array<float>(1 << 20), 1 << 20, 256 * 264);
}
CASE(far_blocks_of_a_sample)
{
    wraps<<<1 << 18, 256>>>(array<unsigned char>(1 << 26));
}
CASE(late_shared_race)
{
    const int n = 2048 * 256;
    moments<<<2, 256>>>(array<float>(n), array<float>(512), n);
}
CASE(late_histogram)
{
    const int n = 2048 * 256;
    late_bins<<<1, 256>>>(array<int>(n), array<int>(256), n);
}
CASE(last_block_overrun)
{
    const size_t n = (1 << 26) + 2;
    copy_pairs<<<(n + 511) / 512, 256>>>(array<int>(n), array<int>(n), n);
}
CASE(last_vector_overrun)
{
    const int n = (1 << 27) + 2;
    four_each<<<(n / 4 + 256) / 256, 256>>>(array<char>(n), array<char4>(n / 4 + 1), n);
}
CASE(uninitialized_sums)
{
    column_sums<<<1, 32>>>(array<float>(64 * 256), array<float>(256), 64);
}
CASE(uninitialized_count)
{
    count_ones<<<1, 32>>>(array<int>(64 * 32), array<int>(32), 64);
}
CASE(initialized)
{
    column_sums_from_zero<<<1, 32>>>(array<float>(64 * 256), array<float>(256), 64);
    marks<<<1, 32>>>(array<mark>(32), array<float4>(32));
}
