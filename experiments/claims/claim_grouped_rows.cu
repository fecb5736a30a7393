// claim_grouped_rows: Does a block that keeps several rows in flight make them faster?
//
// A block of chapter 33 has one row: its threads wait for their loads, reduce, and store, and only
// other blocks overlap with that. Here a block loads one, two or four rows before it reduces the
// first, and has one barrier for all of them. Its weights are loaded once.

#include "../../chapters/33_rows/operations.cuh"
#include "../../chapters/33_rows/row_problem.hpp"
#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>

using bf16 = __nv_bfloat16;

constexpr unsigned columns = 4096;

// The results of `rows` rows of 4,096 elements from row blockIdx.x * rows on, in registers. Launch:
// s.rows / rows blocks of `threads` threads, rounded up.
template<class Op, unsigned rows, unsigned threads>
__global__ void __launch_bounds__(threads)
    grouped_rows(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    constexpr unsigned loads = columns / 8 / threads; // per thread and row
    constexpr unsigned warps = threads / 32;
    __shared__ float2 warp_partials[rows][warps];
    const unsigned first = blockIdx.x * rows;
    uint4 x[rows][loads];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
            const unsigned row = min(first + r, s.rows - 1);
            x[r][k] = reinterpret_cast<const uint4*>(&a[s.at(row, 0)])[threadIdx.x + k * threads];
        }
    }
    Float8 weight[loads];
    for (unsigned k = 0; k < loads; ++k) {
        weight[k] = weights<Op>(w, threadIdx.x + k * threads);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
        float2 partial = Op::identity();
        for (unsigned k = 0; k < loads; ++k) {
            partial = Op::combine8(partial, unpack_bf16x8(x[r][k]), weight[k]);
        }
        partial = reduce_row<Op, 32>(partial);
        if (threadIdx.x % 32 == 0) {
            warp_partials[r][threadIdx.x / 32] = partial;
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
        float2 total = warp_partials[r][0];
        for (unsigned warp = 1; warp < warps; ++warp) {
            total = Op::combine(total, warp_partials[r][warp]);
        }
        const float2 factors = Op::factors(total, s.columns);
        if (first + r < s.rows) {
            if (sizeof(typename Op::Out) == 1 && threadIdx.x == 0) {
                scales[first + r] = factors.y;
            }
            for (unsigned k = 0; k < loads; ++k) {
                const unsigned i = threadIdx.x + k * threads;
                store_results<Op>(&c[s.at(first + r, 8 * i)], unpack_bf16x8(x[r][k]), weight[k],
                                  factors);
            }
        }
    }
}

template<class Op, unsigned rows, unsigned threads>
void run(common::Chapter& chapter, RowProblem& p)
{
    const common::Variant variant{
        .name = "grouped_rows",
        .threads = threads,
        .columns = {{"result", p.task()}, {"rows_per_block", rows}},
        .model_excluded_reason = "e^x and conversions are not in it",
        .setup = [&p] { p.expect(columns / threads + 8 + 5 + threads / 32); }};
    chapter.run(variant, p, [&](cudaStream_t stream) {
        grouped_rows<Op, rows, threads><<<common::blocks(p.shape.rows, rows), threads, 0, stream>>>(
            p.input<Op>(), p.w, p.output<Op>(), p.scales, p.shape);
    });
}

template<class Op>
void run_all(common::Chapter& chapter, std::size_t n, RowResult result, RowReference reference)
{
    RowProblem p(chapter, result,
                 {.columns = columns, .rows = std::max<std::size_t>(n / columns, 1)}, reference);
    run<Op, 1, 128>(chapter, p);
    run<Op, 2, 128>(chapter, p);
    run<Op, 1, 256>(chapter, p);
    run<Op, 2, 256>(chapter, p);
    run<Op, 4, 256>(chapter, p);
    run<Op, 1, 512>(chapter, p);
    run<Op, 2, 512>(chapter, p);
    run<Op, 4, 512>(chapter, p);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(
             {.gpu = {1 << 28}, .cpu = {1 << 20}, .bytes_per_element = 2 * sizeof(bf16)})) {
        run_all<Norm>(chapter, n, RowResult::norm,
                      [](double x, double weight, const RowTotals& row) {
                          return x * weight / std::sqrt(row.mean_square + norm_epsilon);
                      });
        run_all<Softmax>(
            chapter, n, RowResult::softmax,
            [](double x, double, const RowTotals& row) { return std::exp(x) / row.exponentials; });
        run_all<NormToFp8>(chapter, n, RowResult::norm_to_fp8,
                           [](double x, double weight, const RowTotals& row) {
                               return row.largest > 0 ? x * weight * largest_fp8 / row.largest : 0;
                           });
    }
    return chapter.finish();
}
