// 33_rows: How many passes over each row are needed?
//
// A softmax, a norm, and a norm in fp8. Results need a reduction of the whole row: a kernel reads
// the row again after it, or keeps it in shared memory, in registers of a block, or in those of a
// warp.
//
// operations.cuh, eight.cuh        the operations; eight elements of one load
// reduce_row.cuh                   combines the partial results of a row's threads
// passes.cuh                       kernels that read a row three times, or twice
// in_shared.cuh, in_registers.cuh  kernels that read it once and keep it
// row_problem.hpp                  the arrays, the reference and the error bounds

#include "common/chapter.hpp"
#include "in_registers.cuh"
#include "in_shared.cuh"
#include "passes.cuh"
#include "row_problem.hpp"

#include <cmath>
#include <type_traits>

//! [rows]
// Launches the kernel for rows of up to 4,096 elements, or of up to 5,120.
template<class Op, unsigned T, bool once = false>
common::Launch launch(const RowProblem& p)
{
    return [&p](cudaStream_t queue) {
        const auto kernel = p.shape.width <= 4096 ? in_registers<Op, T, 512 / T, once>
                                                  : in_registers<Op, T, (640 + T - 1) / T, once>;
        const unsigned size = T < block ? block : T;
        kernel<<<common::blocks(p.shape.rows, size / T), size, 0, queue>>>(
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
    const auto run = [&](common::Variant variant, unsigned per_row, const common::Launch& work,
                         bool through_bf16 = false) {
        variant.columns = {
            {"result", p.task()}, {"columns", s.columns}, {"threads_per_row", per_row}};
        if (softmax) { // limited by e^x, which the model does not have
            variant.model_excluded_reason = "no e^x is in it";
        }
        // Additions in a thread, eight elements at a time, in a warp, and of warps.
        variant.setup = [=, &p] {
            p.expect(s.width / per_row + 8 + 5 + per_row / 32, through_bf16);
        };
        chapter.run(variant, p, work);
    };
    if constexpr (softmax) {
        run({.name = "three_passes", .threads = threads}, threads,
            [&](auto queue) { three_passes<<<s.rows, threads, 0, queue>>>(p.a, p.c, s); });
    }
    if constexpr (std::is_same_v<Op, NormToFp8>) {
        const auto two_kernels = [&](auto queue) {
            launch<Norm, 128>(p)(queue);
            launch<ToFp8, 128>(p)(queue);
        };
        run({.name = "two_kernels", .threads = 128}, 128, two_kernels, true);
        run({.name = "once_in_registers", .threads = 128}, 128, launch<Op, 128, true>(p));
    } else {
        run({.name = "two_passes",
             .threads = threads,
             .model_excluded_reason = "the instructions for one element at a time are not in it",
             .full = softmax},
            threads,
            [&](auto queue) { two_passes<Op><<<s.rows, threads, 0, queue>>>(p.a, p.w, p.c, s); });
        run({.name = "in_shared", .threads = block}, block, [&](auto queue) {
            in_shared<Op><<<s.rows, block, s.width * sizeof(bf16), queue>>>(p.a, p.w, p.c, s);
        });
        run({.name = "in_registers", .threads = 256, .full = softmax}, 256, launch<Op, 256>(p));
        run({.name = "warp_per_row", .threads = block, .full = true}, 32, launch<Op, 32>(p));
    }
    run({.name = "in_registers", .threads = 128, .full = !softmax}, 128, launch<Op, 128>(p));
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 3001 * 5000, 1 << 26, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 26},
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
