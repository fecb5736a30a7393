// Cooperative groups and cooperative launches.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "cases.hpp"

// CASE block_and_warp_groups
// Groups of cooperative_groups instead of raw barriers and shuffles.
// RUN => 0 sum 496000
// RUN MOVING_BYTES_SEED=4 => 0 sum 496000
namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_block_tile<32> warp, int v)
{
    for (int i = warp.size() / 2; i > 0; i /= 2)
        v += warp.shfl_down(v, i);
    return v;
}

__global__ void sum(const int* in, int* out)
{
    __shared__ int total;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0)
        total = 0;
    block.sync();
    const int v = sum_of(warp, in[block.group_index().x * block.size() + block.thread_rank()]);
    if (warp.thread_rank() == 0)
        atomicAdd(&total, v);
    cg::sync(block);
    if (block.thread_rank() == 0)
        atomicAdd(out, total);
}

CASE(block_and_warp_groups)
{
    int *in = managed_array<int>(32000), *out = managed_array<int>(1);
    for (int i = 0; i < 32000; ++i)
        in[i] = i % 32;
    sum<<<125, 256>>>(in, out);
    cudaDeviceSynchronize();
    std::printf("sum %d\n", *out);
}

// CASE group_exchange
// Groups exchange values of 16 and 32 bytes.
// RUN => 0 vector 1 31, wide 496
namespace group_exchange {
namespace cg = cooperative_groups;
struct Wide { double a, b, c; int d; };
struct AddWide { __device__ Wide operator()(Wide x, Wide y) const { return {x.a + y.a, x.b, x.c, x.d}; } };
__global__ void k(uint4* vectors, double* wide)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    uint4 v = make_uint4(threadIdx.x, 1, 2, 3);
    vectors[threadIdx.x] = tile.shfl_xor(v, 1);
    const Wide sum = cg::reduce(tile, Wide{double(threadIdx.x), 1, 2, 3}, AddWide());
    if (tile.thread_rank() == 0) *wide = sum.a;
}
CASE(group_exchange)
{
    uint4* v = managed_array<uint4>(32);
    double* w = managed_array<double>(1);
    k<<<1, 32>>>(v, w);
    cudaDeviceSynchronize();
    printf("vector %u %u, wide %g\n", v[0].x, v[30].x, *w);
}
} // namespace group_exchange

// CASE grid_reduction
// A reduction by one cooperative launch of many blocks: grid.sync() between its two parts.
// RUN => 0 blocks 264, sum 1048576, order right
// RUN MOVING_BYTES_SEED=8 => 0 blocks 264, sum 1048576, order right
namespace cg = cooperative_groups;
__global__ void reduce(const int* in, int* partial, int n, int* order)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ int s[];
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    s[block.thread_rank()] = sum;
    cg::sync(block);
    for (int half = block.size() / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half) s[block.thread_rank()] += s[block.thread_rank() + half];
        cg::sync(block);
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
    if (grid.thread_rank() == grid.size() - 1) *order = 1;
    cg::sync(grid);
    if (grid.thread_rank() == 0) {
        for (int i = 1; i < gridDim.x; ++i) partial[0] += partial[i];
        *order += *order == 1;
    }
}
CASE(grid_reduction)
{
    const int n = 1 << 20, threads = 64, shared = threads * sizeof(int);
    int multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int blocks = 2 * multiprocessors;
    int *in = managed_array<int>(n), *partial = managed_array<int>(blocks), *order = managed_array<int>(1);
    for (int i = 0; i < n; ++i) in[i] = 1;
    int count = n;
    void* arguments[] = {&in, &partial, &count, &order};
    cudaError_t status = cudaLaunchCooperativeKernel((void*)reduce, dim3(blocks), dim3(threads), arguments, shared, 0);
    cudaDeviceSynchronize();
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorString(status));
    printf("blocks %d, sum %d, order %s\n", blocks, partial[0], *order == 2 ? "right" : "wrong");
}

// CASE grid_jacobi
// Many steps of a stencil in one cooperative launch.
// RUN => 0 middle 0.500 after 400 steps
namespace cg = cooperative_groups;
__global__ void relax(float* a, float* b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int step = 0; step < steps; ++step) {
        if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        float* swap = a; a = b; b = swap;
        grid.sync();
    }
}
CASE(grid_jacobi)
{
    int n = 17, steps = 400;
    float *a = managed_array<float>(n), *b = managed_array<float>(n);
    for (int i = 0; i < n; ++i) a[i] = b[i] = i == n - 1;
    void* arguments[] = {&a, &b, &n, &steps};
    cudaLaunchCooperativeKernel(relax, dim3(5), dim3(4), arguments);
    cudaDeviceSynchronize();
    printf("middle %.3f after %d steps\n", a[8], steps);
}

// CASE grid_too_large
// A cooperative grid larger than what the device holds at a time is an error, as on a GPU.
// RUN => 0 too many blocks in cooperative launch
namespace grid_too_large {
__global__ void k() { cooperative_groups::this_grid().sync(); }
CASE(grid_too_large)
{
    cudaLaunchCooperativeKernel((void*)k, dim3(100000), dim3(1024), nullptr, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
} // namespace grid_too_large

// CASE tile_in_repeats
// Launches that are not counted may wait in calls of cooperative groups.
// RUN MOVING_BYTES_COUNT=2 => 0 (?s)\A128 no error\n.*4\s+repeats\s+ran\s+at\s+full\s+speed.*4\s+repeats\s+were\s+skipped\s+because
namespace cg = cooperative_groups;
__global__ void red(float* o)
{
    extern __shared__ float s[];
    int tid = threadIdx.x; s[tid] = 1;
    __syncthreads(); for (int offset = blockDim.x >> 1; offset >= 32; offset >>= 1) {
        if (tid < offset) s[tid] += s[tid + offset];
        __syncthreads();
    }
    float y = s[tid]; auto g = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = g.size() >> 1; i > 0; i >>= 1) y += g.shfl_down(y, i);
    if (tid == 0) o[blockIdx.x] = y;
}
CASE(tile_in_repeats)
{
    float* o = uninitialized<float>(1024);
    for (int r = 0; r < 10; r++) red<<<1024, 128, 512>>>(o);
    printf("%g ", downloaded(o, 1)[0]);
}

// CASE matching_lanes
// Which lanes pass the same value, all of the mask or some of them; values of 4 and of 8 bytes.
// RUN => 0 matches 00000249 00000492 00000924, all 0 of 00000000 and 1 of 00000fff
__global__ void match(unsigned* out)
{
    const unsigned lane = threadIdx.x, mask = 0xfff;
    int same = 7;
    if (lane >= 12) return;
    out[lane] = __match_any_sync(mask, lane % 3);
    out[12] = __match_all_sync(mask, lane / 11.0, &same);
    out[13] = same;
    out[14] = __match_all_sync(mask, 1LL << 40, &same);
    out[15] = same;
}
CASE(matching_lanes)
{
    unsigned* const x = array<unsigned>(16);
    match<<<1, 32>>>(x);
    const std::vector<unsigned> m = downloaded(x, 16);
    printf("matches %08x %08x %08x, all %u of %08x and %u of %08x\n", m[0], m[1], m[2], m[13], m[12], m[15], m[14]);
}
