// 19_transpose: Should a transposition scatter its loads or its stores?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Whatever order the threads
// and the blocks have, one side is scattered.

#include "common/chapter.hpp"

#include <cmath>

//! [place]
// Element (y, x) of a, for each thread of a block. `down` says which way the lanes of a warp lie
// side by side: along a row of a, or down a column, and so along a row of c.
struct Place
{
    std::size_t x;
    std::size_t y;
};

template<bool down>
__device__ Place place(uint2 block)
{
    const std::size_t along = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t across = std::size_t{block.y} * blockDim.y + threadIdx.y;
    return down ? Place{across, along} : Place{along, across};
}
//! [place]

//! [naive]
// Transposes nothing: a bound for what follows.
template<bool down>
__global__ void copy(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x];
    }
}

template<bool down>
__global__ void naive(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [naive]

//! [unroll4]
// A block does the work of four neighbours, so the grid has a quarter of the blocks.
template<bool down>
__global__ void unroll4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const auto [x, y] = place<down>(make_uint2(4 * blockIdx.x + k, blockIdx.y));
        v[k] = x < columns && y < rows ? a[y * columns + x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        const auto [x, y] = place<down>(make_uint2(4 * blockIdx.x + k, blockIdx.y));
        if (x < columns && y < rows) {
            c[x * rows + y] = v[k];
        }
    }
}
//! [unroll4]

//! [diagonal]
// Blocks that start one after the other lie on a diagonal of the grid: neither their rows nor their
// columns are the same. Every block has a place of its own, in a grid of any shape.
template<bool down>
__global__ void diagonal(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t number = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
    const auto across = static_cast<unsigned>(number % gridDim.y);
    const auto along = static_cast<unsigned>((number / gridDim.y + across) % gridDim.x);
    const auto [x, y] = place<down>(make_uint2(along, across));
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [diagonal]

//! [kernels]
using common::TransposeKernel;

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
    chapter.run(k.row(m), p, [&](cudaStream_t stream) {
        k.launch<<<k.grid(m), k.block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
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
    common::Arrays<float> transposed = common::transposed(chapter, m);
    for (const TransposeKernel& kernel : transposes) {
        run(chapter, transposed, m, kernel);
    }
    return chapter.finish();
}
