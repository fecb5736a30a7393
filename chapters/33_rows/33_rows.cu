// 33_rows: How many passes over each row are needed?
//
// A softmax, RMSNorm, and RMSNorm in fp8. Every result depends on a reduction of its whole row: a
// kernel reads the row again after the reduction, or keeps it in shared memory, in the registers of
// a block, or in those of a warp.
//
// three_passes.cuh   a softmax by its definition; reduce_row.cuh  the reduction by a row's threads
// operations.cuh     the operations as template arguments (Op) of the kernels below
// float8.cuh         eight bf16 values per load, as floats
// two_passes.cuh     a kernel that reads each row twice
// in_shared.cuh      a kernel that reads each row once and keeps it in shared memory
// in_registers.cuh   the same in registers
// row_problem.hpp    the arrays, their layout (row_shape.hpp), the reference and the error bounds

#include "common/chapter.hpp"
#include "in_registers.cuh"
#include "in_shared.cuh"
#include "row_problem.hpp"
#include "three_passes.cuh"
#include "two_passes.cuh"

#include <algorithm>
#include <cmath>
#include <type_traits>

//! [rows]
// Launches in_registers for rows of up to 4,096 elements, or of up to 5,120.
template<class Op, unsigned threads_per_row, Hint hint = Hint::none>
common::Launch launch(const RowProblem& p)
{
    return [&p](cudaStream_t stream) {
        constexpr unsigned T = threads_per_row;
        const auto kernel = p.shape.width <= 4096 ? in_registers<Op, T, 512 / T, hint>
                                                  : in_registers<Op, T, (640 + T - 1) / T, hint>;
        const unsigned block_threads = std::max(T, vector_threads);
        kernel<<<common::blocks(p.shape.rows, block_threads / T), block_threads, 0, stream>>>(
            p.input<Op>(), p.w, p.output<Op>(), p.scales, p.shape);
    };
}

template<class Op>
void run_rows(common::Chapter& chapter, RowResult result, const common::Extent& extent,
              RowReference reference)
{
    RowProblem p(chapter, result, extent, reference);
    const RowShape s = p.shape;
    constexpr bool softmax = std::is_same_v<Op, Softmax>;
    const auto run = [&](common::Variant variant, unsigned threads_per_row,
                         const common::Launch& work, bool through_bf16 = false) {
        variant.columns = {
            {"result", p.task()}, {"columns", s.columns}, {"threads_per_row", threads_per_row}};
        if (softmax) { // limited by e^x, which the model does not have
            variant.model_excluded_reason = "the model has no e^x";
        }
        // Most additions that a term goes through: in its thread, which adds eight elements at a
        // time, in its warp, and over the warps.
        variant.setup = [=, &p] {
            p.expect(s.width / threads_per_row + 8 + 5 + threads_per_row / 32, through_bf16);
        };
        chapter.run(variant, p, work);
    };
    if constexpr (softmax) {
        run({.name = "three_passes", .threads = threads}, threads,
            [&](auto stream) { three_passes<<<s.rows, threads, 0, stream>>>(p.a, p.c, s); });
    }
    if constexpr (std::is_same_v<Op, NormToFp8>) {
        const auto two_kernels = [&](auto stream) {
            launch<Norm, 128>(p)(stream);
            launch<ToFp8, 128>(p)(stream);
        };
        run({.name = "two_kernels", .threads = 128}, 128, two_kernels, true);
        run({.name = "once_in_registers", .threads = 128}, 128,
            launch<Op, 128, Hint::evict_first>(p));
    } else {
        run({.name = "two_passes",
             .threads = threads,
             .model_excluded_reason = "the model leaves out the instructions per element",
             .full_only = softmax},
            threads,
            [&](auto stream) { two_passes<Op><<<s.rows, threads, 0, stream>>>(p.a, p.w, p.c, s); });
        run({.name = "in_shared", .threads = vector_threads}, vector_threads, [&](auto stream) {
            in_shared<Op>
                <<<s.rows, vector_threads, s.width * sizeof(bf16), stream>>>(p.a, p.w, p.c, s);
        });
        run({.name = "in_registers", .threads = 256, .full_only = softmax}, 256,
            launch<Op, 256>(p));
        run({.name = "warp_per_row", .threads = vector_threads, .full_only = true}, 32,
            launch<Op, 32>(p));
    }
    run({.name = "in_registers", .threads = 128, .full_only = !softmax}, 128, launch<Op, 128>(p));
    run({.name = "evict_last_in_registers", .threads = 128, .model_excluded_reason = no_hints}, 128,
        launch<Op, 128, Hint::evict_last>(p));
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 3001 * 5000, 1 << 26, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 26},
                         .bytes_per_element = 4 * sizeof(bf16)})) {
        const common::Extent extent = common::matrix_of(n, n % 4096 == 0 ? 4096 : 5000);
        run_rows<Softmax>(
            chapter, RowResult::softmax, extent,
            [](double x, double, const RowTotals& row) { return std::exp(x) / row.exponentials; });
        run_rows<Norm>(chapter, RowResult::norm, extent,
                       [](double x, double weight, const RowTotals& row) {
                           return x * weight / std::sqrt(row.mean_square + norm_epsilon);
                       });
        run_rows<NormToFp8>(chapter, RowResult::norm_to_fp8, extent,
                            [](double x, double weight, const RowTotals& row) {
                                return row.largest > 0 ? x * weight * largest_fp8 / row.largest : 0;
                            });
    }
    return chapter.finish();
}
