// 28_reduction: How fast can a GPU make one value of many?
//
// A sum, and the place of the largest element: every element is read once, and next to nothing is
// written. What costs time is how threads put together what each of them has.

#include "common/kernels.hpp"

//! [atomic]
constexpr unsigned threads = 256; // where a thread has one element

template<class Op>
__global__ void atomic(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        Op::join_at(c, Op::of(a[i], i));
    }
}
//! [atomic]

//! [shared_tree]
template<class Op>
__global__ void shared_tree(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    __shared__ typename Op::Value x[threads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? Op::of(a[i], i) : 0;
    for (unsigned part = threads / 2; part > 0; part /= 2) {
        __syncthreads();
        if (threadIdx.x < part) {
            x[threadIdx.x] = Op::join(x[threadIdx.x], x[threadIdx.x + part]);
        }
    }
    if (threadIdx.x == 0) {
        Op::join_at(c, x[0]);
    }
}
//! [shared_tree]

//! [shuffles]
// What the lanes of a warp have, joined, in lane 0.
template<class Op>
__device__ typename Op::Value join_warp(typename Op::Value x)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x = Op::join(x, __shfl_down_sync(0xffffffff, x, lanes));
    }
    return x;
}

// The same of a block, in thread 0.
template<class Op>
__device__ typename Op::Value join_block(typename Op::Value x)
{
    __shared__ typename Op::Value warps[32];
    x = join_warp<Op>(x);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        x = join_warp<Op>(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    }
    return x;
}

template<class Op>
__global__ void shuffles(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto x = join_block<Op>(i < n ? Op::of(a[i], i) : 0);
    if (threadIdx.x == 0) {
        Op::join_at(c, x);
    }
}
//! [shuffles]

//! [grid_stride]
constexpr unsigned block = 512; // where a thread has many

// Such blocks on a multiprocessor: all the threads that it has room for, which leaves a thread 32
// registers. Values of 64 bits need more.
template<class Op>
constexpr unsigned resident = common::bound_blocks(sizeof(typename Op::Value) == 8 ? 3 : 4, block);

// What a thread has to join: 16 bytes at a time, with `loads` loads on their way.
template<class Op, unsigned loads>
__device__ typename Op::Value join_share(const typename Op::Element* a, std::size_t n)
{
    const auto* fours = reinterpret_cast<const typename Op::Four*>(a);
    typename Op::Value x = 0;
    std::size_t i = std::size_t{blockIdx.x} * block * loads + threadIdx.x;
#pragma unroll 1 // unrolled, the loop would have the loads of several rounds on their way
    for (; i + (loads - 1) * block < n / 4; i += std::size_t{gridDim.x} * block * loads) {
        typename Op::Four v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = fours[i + k * block];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x = Op::join(x, common::join_four<Op>(v[k], 4 * (i + k * block)));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += block) { // a last round that is not a whole one
        x = Op::join(x, common::join_four<Op>(fours[i], 4 * i));
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // elements that are not four
        const std::size_t last = n / 4 * 4 + threadIdx.x;
        x = Op::join(x, Op::of(a[last], last));
    }
    return x;
}

template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    grid_stride(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const auto x = join_block<Op>(join_share<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        Op::join_at(c, x);
    }
}
//! [grid_stride]

//! [last_block]
// The block that ends last joins what all blocks have left: one launch, and no atomic on the
// result.
template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    last_block(const typename Op::Element* a, typename Op::Value* c, std::size_t n,
               typename Op::Value* partials, unsigned* finished)
{
    __shared__ bool last;
    auto x = join_block<Op>(join_share<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence(); // the partial is there before it is counted
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1; // which leaves 0 behind
    }
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += block) {
        x = Op::join(x, __ldcg(&partials[k])); // from the L2, where the other blocks left them
    }
    x = join_block<Op>(x);
    if (threadIdx.x == 0) {
        *c = x;
    }
}
//! [last_block]

//! [rows]
template<class Op>
void run_reduction(common::Chapter& chapter, std::size_t n, const char* result,
                   common::Values values)
{
    common::Reduction<Op> p(chapter, result, n, values);
    // `scratch`: what a kernel needs beside the arrays. One that needs nothing adds to c[0].
    const auto run = [&](const common::ReductionRow& row, auto kernel, auto&... scratch) {
        common::run_reduction_row(chapter, p, row, kernel, [&](unsigned grid, cudaStream_t stream) {
            if (sizeof...(scratch) == 0) {
                CHECK_CUDA(cudaMemsetAsync(p.c, 0, sizeof *p.c, stream));
            }
            kernel<<<grid, row.threads, 0, stream>>>(p.a, p.c, p.n, scratch...);
        });
    };
    if (values == common::Values::random) {
        const bool full = p.of_floats || p.largest; // words make the point
        run({.name = "atomic", .threads = threads, .by_itself = true, .full = full}, atomic<Op>);
        run({.name = "shared_tree", .threads = threads, .full = full}, shared_tree<Op>);
        run({.name = "shuffles", .threads = threads, .full = full}, shuffles<Op>);
        run({.name = "grid_stride", .threads = block, .fours = 1, .full = full},
            grid_stride<Op, 1>);
        run({.name = "grid_stride", .threads = block, .fours = 4}, grid_stride<Op, 4>);
    }
    run({.name = "last_block", .threads = block, .fours = 4}, last_block<Op, 4>, p.partials,
        p.finished);
    common::run_reduction_library(chapter, p);
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = sizeof(float)})) {
        for (const common::Values values : {common::Values::random, common::Values::equal}) {
            run_reduction<common::Sum<unsigned, uint4>>(chapter, n, "sum of words", values);
            run_reduction<common::Sum<float, float4>>(chapter, n, "sum of floats", values);
            run_reduction<common::Largest>(chapter, n, "largest", values);
        }
    }
    return chapter.finish();
}
