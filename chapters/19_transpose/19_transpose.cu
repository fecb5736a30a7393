// 19_transpose: Should the loads or the stores be uncoalesced?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, one sector per lane, and vice versa: in any order of threads and blocks, one
// side is uncoalesced.
//
// place.cuh     the element of each thread
// naive.cuh     one element per thread, and a copy as a bound
// unroll4.cuh   four elements per thread
// diagonal.cuh  the blocks in another order
// transpose.cuh a kernel as a row of the table

#include "diagonal.cuh"
#include "naive.cuh"
#include "transpose.cuh"
#include "unroll4.cuh"

#include <cmath>

//! [kernels]
const TransposeKernel copies[] = {{"copy_row", copy<false>, false},
                                  {"copy_column", copy<true>, true}};

const TransposeKernel transposes[] = {
    {.name = "naive_row", .launch = naive<false>, .down = false},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {32, 32}, .full = true},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {32, 16}, .full = true},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {32, 8}},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {16, 32}, .full = true},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {16, 16}},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {16, 8}, .full = true},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {8, 32}},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {8, 16}, .full = true},
    {.name = "naive_column", .launch = naive<true>, .down = true, .block = {8, 8}, .full = true},
    {.name = "unroll4_row", .launch = unroll4<false>, .down = false, .per_thread = {4, 1}},
    {.name = "unroll4_column", .launch = unroll4<true>, .down = true, .per_thread = {4, 1}},
    {.name = "diagonal_row", .launch = diagonal<false>, .down = false},
    {.name = "diagonal_column", .launch = diagonal<true>, .down = true}};
//! [kernels]

//! [run]
void run(common::Chapter& chapter, common::Arrays<float>& p, const common::Extent& m,
         const TransposeKernel& k)
{
    const unsigned x = k.block.x * k.per_thread.x; // elements of a block
    const unsigned y = k.block.y * k.per_thread.y;
    const dim3 grid = k.down ? common::grid(m.rows, m.columns, x, y) // with the lanes
                             : common::grid(m.columns, m.rows, x, y);
    chapter.run(k.row(m), p, [&](cudaStream_t stream) {
        k.launch<<<grid, k.block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
    });
}
//! [run]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::size_t n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const common::Extent m = common::matrix_of(n, edge);
    {
        common::Copy<float> copied(chapter, {.n = m.size()});
        for (const TransposeKernel& kernel : copies) {
            run(chapter, copied, m, kernel);
        }
        common::run_copy_libraries(chapter, copied, {{"rows", m.rows}, {"columns", m.columns}});
    }
    common::Arrays<float> p = transposed(chapter, m);
    for (const TransposeKernel& kernel : transposes) {
        run(chapter, p, m, kernel);
    }
    return chapter.finish();
}
