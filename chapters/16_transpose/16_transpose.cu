// 16_transpose: How fast can a matrix be transposed?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Shared memory turns a tile
// of the matrix between a load and a store that are both coalesced.

#include "common/chapter.hpp"
#include "naive.cuh"
#include "tiles.cuh"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

struct Matrix
{
    std::size_t rows;
    std::size_t columns;
};

//! [kernels]
struct Kernel
{
    const char* name;
    void (*launch)(const float*, float*, std::size_t, std::size_t);
    bool down;                     // blockIdx.x runs down the columns of a
    std::vector<dim3> blocks;      // threads: a row for each
    dim3 per_thread = 1;           // elements, in the directions of blockIdx.x and blockIdx.y
    unsigned word = sizeof(float); // bytes a lane moves at once; rows must be multiples of them
    unsigned more = 0;             // rows by which a tile may begin above its place
};

const Kernel kernels[] = {
    {"naive_row", naive<false>, false, {{32, 8}}},
    {"naive_column",
     naive<true>,
     true,
     {{32, 32}, {32, 16}, {32, 8}, {16, 32}, {16, 16}, {16, 8}, {8, 32}, {8, 16}, {8, 8}}},
    {"unroll4_row", unroll4<false>, false, {{32, 8}}, {4, 1}},
    {"unroll4_column", unroll4<true>, true, {{32, 8}}, {4, 1}},
    {"diagonal_row", diagonal<false>, false, {{32, 8}}},
    {"diagonal_column", diagonal<true>, true, {{32, 8}}},
    {"tile_plain", tile<Layout::plain, false>, false, {{32, 8}}, {1, 4}},
    {"tile_padded", tile<Layout::padded, false>, false, {{32, 8}}, {1, 4}},
    {"tile_swizzled", tile<Layout::swizzled, false>, false, {{32, 8}}, {1, 4}},
    {"tile_padded_down", tile<Layout::padded, true>, true, {{32, 8}}, {1, 4}},
    {"tile_float4", tile_float4<false, Hint::none>, false, {{16, 16}}, {4, 4}, 16},
    {"tile_float4_down", tile_float4<true, Hint::none>, true, {{16, 16}}, {4, 4}, 16},
    {"tile_float4_down_stcs", tile_float4<true, Hint::store>, true, {{16, 16}}, {4, 4}, 16},
    {"tile_float4_down_ldcg", tile_float4<true, Hint::load>, true, {{16, 16}}, {4, 4}, 16},
    {"tile_tall", tile_tall<false>, true, {{32, 8}}, {4, 8}},
    {"tile_tall_aligned", tile_tall<true>, true, {{32, 8}}, {4, 8}, 4, line - 1}};
//! [kernels]

//! [run]
void run(common::Chapter& chapter, common::Arrays<float>& p, Matrix m, const Kernel& k)
{
    const std::size_t floats = k.word / sizeof(float);
    const bool fits = m.rows % floats == 0 && m.columns % floats == 0;
    for (const dim3& block : k.blocks) {
        if (k.blocks.size() > 1 && block.x * block.y != 256 && !chapter.everything()) {
            continue;
        }
        const std::string shape = std::to_string(block.x) + "x" + std::to_string(block.y);
        const common::Variant row = {
            k.name,
            block.x * block.y,
            {{"block", shape}, {"word", k.word}, {"rows", m.rows}, {"columns", m.columns}},
            fits ? "" : "needs sides that are multiples of 4"};
        chapter.run(row, p, [&](cudaStream_t stream) {
            const unsigned x = block.x * k.per_thread.x;
            const unsigned y = block.y * k.per_thread.y;
            const dim3 grid = k.down ? common::grid(m.rows + k.more, m.columns, x, y)
                                     : common::grid(m.columns, m.rows, x, y);
            k.launch<<<grid, block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
        });
    }
}
//! [run]

void run_copies(common::Chapter& chapter, Matrix m)
{
    common::Copy<float> problem(chapter, {.n = m.rows * m.columns});
    run(chapter, problem, m, {"copy_row", copy<false>, false, {{32, 8}}});
    run(chapter, problem, m, {"copy_column", copy<true>, true, {{32, 8}}});
    common::run_copy_libraries(chapter, problem, {{"rows", m.rows}, {"columns", m.columns}});
}

// The kernels of these names, or all.
void run_transposes(common::Chapter& chapter, Matrix m, const std::set<std::string>& names = {})
{
    common::Arrays<float> problem(
        chapter, {.task = "transpose", .n = m.rows * m.columns},
        [m](auto& in, std::size_t i) { return in.a[i % m.rows * m.columns + i / m.rows]; });
    for (const Kernel& kernel : kernels) {
        if (names.empty() || names.contains(kernel.name)) {
            run(chapter, problem, m, kernel);
        }
    }
    common::run_transpose_library(chapter, problem, m.rows, m.columns);
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
    run_transposes(chapter, with_columns(edge));
    // One with odd sides, where that edge is even, and a wide one that ends inside of a tile.
    run_transposes(chapter, with_columns(edge - 1),
                   {"tile_padded", "tile_padded_down", "tile_tall", "tile_tall_aligned"});
    run_transposes(chapter, with_columns(8 * edge - 4), {"tile_float4_down_ldcg"});
    return chapter.finish();
}
