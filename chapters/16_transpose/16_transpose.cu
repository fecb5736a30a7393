// 16_transpose: How fast can a matrix be transposed?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Shared memory turns a tile
// of the matrix between a load and a store that are both coalesced.

#include "common/chapter.hpp"
#include "tiles.cuh"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

struct Matrix
{
    std::size_t rows;
    std::size_t columns;
};

struct Kernel
{
    const char* name;
    void (*launch)(const float*, float*, std::size_t, std::size_t);
    bool down;                     // blockIdx.x runs down the columns of a
    dim3 block;                    // threads
    unsigned along;                // elements of a block, in the direction of blockIdx.x
    unsigned across;               // and of blockIdx.y
    unsigned word = sizeof(float); // bytes a lane moves at once; rows must be multiples of them
};

const dim3 row(32, 8);
const dim3 square(quads, quads);
const Kernel padded = {"tile_padded", tile<Layout::padded, false>, false, row, side, side};
const Kernel padded_down = {"tile_padded_down", tile<Layout::padded, true>, true, row, side, side};
const Kernel fastest = {
    "tile_float4_down_ldcg", tile_float4<true, Hint::load>, true, square, wide, wide, 16};

void run(common::Chapter& chapter, common::Arrays<float>& problem, Matrix m, const Kernel& k)
{
    const std::string block = std::to_string(k.block.x) + "x" + std::to_string(k.block.y);
    const std::size_t floats = k.word / sizeof(float);
    const bool fits = m.rows % floats == 0 && m.columns % floats == 0;
    chapter.run({k.name,
                 k.block.x * k.block.y,
                 {{"block", block}, {"word", k.word}, {"rows", m.rows}, {"columns", m.columns}},
                 fits ? "" : "needs sides that are multiples of 4"},
                problem, [&](cudaStream_t stream) {
                    const dim3 grid = k.down ? common::grid(m.rows, m.columns, k.along, k.across)
                                             : common::grid(m.columns, m.rows, k.along, k.across);
                    k.launch<<<grid, k.block, 0, stream>>>(problem.a, problem.c, m.rows, m.columns);
                });
}

void run_copies(common::Chapter& chapter, Matrix m)
{
    common::Copy<float> problem(chapter, {.n = m.rows * m.columns});
    run(chapter, problem, m, {"copy_row", copy<false>, false, row, 32, 8});
    run(chapter, problem, m, {"copy_column", copy<true>, true, row, 32, 8});
    common::run_copy_libraries(chapter, problem, {{"rows", m.rows}, {"columns", m.columns}});
}

void run_transposes(common::Chapter& chapter, Matrix m, const std::vector<Kernel>& kernels)
{
    common::Arrays<float> problem(
        chapter, {.task = "transpose", .n = m.rows * m.columns},
        [m](auto& in, std::size_t i) { return in.a[i % m.rows * m.columns + i / m.rows]; });
    for (const Kernel& kernel : kernels) {
        run(chapter, problem, m, kernel);
    }
    common::run_transpose_library(chapter, problem, m.rows, m.columns);
}

std::vector<Kernel> all_kernels()
{
    std::vector<Kernel> all = {
        {"naive_row", naive<false>, false, row, 32, 8},
        {"unroll4_row", unroll4<false>, false, row, 4 * 32, 8},
        {"unroll4_column", unroll4<true>, true, row, 4 * 32, 8},
        {"diagonal_row", diagonal<false>, false, row, 32, 8},
        {"diagonal_column", diagonal<true>, true, row, 32, 8},
        {"tile_plain", tile<Layout::plain, false>, false, row, side, side},
        padded,
        {"tile_swizzled", tile<Layout::swizzled, false>, false, row, side, side},
        padded_down,
        {"tile_float4", tile_float4<false, Hint::none>, false, square, wide, wide, 16},
        {"tile_float4_down", tile_float4<true, Hint::none>, true, square, wide, wide, 16},
        {"tile_float4_down_stcs", tile_float4<true, Hint::store>, true, square, wide, wide, 16},
        fastest};
    for (unsigned x : {8u, 16u, 32u}) {
        for (unsigned y : {8u, 16u, 32u}) {
            all.insert(all.begin() + 1, {"naive_column", naive<true>, true, dim3(x, y), x, y});
        }
    }
    return all;
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::size_t n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const auto with_columns = [n](std::size_t columns) {
        columns = std::clamp<std::size_t>(columns, 1, n);
        return Matrix{n / columns, columns};
    };
    run_copies(chapter, with_columns(edge));
    run_transposes(chapter, with_columns(edge), all_kernels());
    run_transposes(chapter, with_columns(edge - 1), {padded, padded_down}); // odd for an even edge
    run_transposes(chapter, with_columns(8 * edge - 4), {fastest});         // wide, with cut tiles
    return chapter.finish();
}
