// 16_transpose: How fast can a matrix be transposed?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Shared memory turns a tile
// of the matrix between a load and a store that are both coalesced.

#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

//! [copies]
// Two bounds that transpose nothing: lanes side by side in a row, and lanes below each other.
__global__ void copy_row(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x];
    }
}

__global__ void copy_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x];
    }
}
//! [copies]

//! [naive]
// The lanes of a warp load along a row and store down a column.
__global__ void naive_row(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

// They load down a column and store along a row.
__global__ void naive_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [naive]

//! [unroll4]
// Four elements a thread, a block's width apart, so the grid has a quarter of the blocks.
__global__ void unroll4_row(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t x = first + k * blockDim.x;
        v[k] = x < columns && y < rows ? a[y * columns + x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t x = first + k * blockDim.x;
        if (x < columns && y < rows) {
            c[x * rows + y] = v[k];
        }
    }
}

__global__ void unroll4_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t y = first + k * blockDim.x;
        v[k] = x < columns && y < rows ? a[y * columns + x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t y = first + k * blockDim.x;
        if (x < columns && y < rows) {
            c[x * rows + y] = v[k];
        }
    }
}
//! [unroll4]

//! [diagonal]
// The naive kernels, but blocks that start one after the other lie on a diagonal of the grid:
// neither their rows nor their columns are the same. Every block has one place, in any grid.
__device__ uint2 diagonal_block()
{
    const std::size_t b = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
    const unsigned y = static_cast<unsigned>(b % gridDim.y);
    return make_uint2(static_cast<unsigned>((b / gridDim.y + y) % gridDim.x), y);
}

__global__ void diagonal_row(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const uint2 block = diagonal_block();
    const std::size_t x = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

__global__ void diagonal_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const uint2 block = diagonal_block();
    const std::size_t y = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t x = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [diagonal]

//! [tile]
constexpr unsigned side = 32; // of a tile, by blocks of 32 x 8 threads: four elements a thread

// Where element (y, x) of a tile lies. A bank holds every 32nd word, so a column of the plain tile
// is in one bank. Padded, each row starts one bank further; swizzled, each row is permuted.
enum class Layout
{
    plain,
    padded,
    swizzled
};

template<Layout layout>
__device__ unsigned slot(unsigned y, unsigned x)
{
    if constexpr (layout == Layout::padded) {
        return y * (side + 1) + x;
    } else if constexpr (layout == Layout::swizzled) {
        return y * side + (x ^ y);
    } else {
        return y * side + x;
    }
}

template<Layout layout>
__global__ void tile(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float turned[side * (side + (layout == Layout::padded ? 1 : 0))];
    const std::size_t left = std::size_t{blockIdx.x} * side;
    const std::size_t top = std::size_t{blockIdx.y} * side;
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned y = threadIdx.y + 8 * k;
        const bool inside = left + threadIdx.x < columns && top + y < rows;
        v[k] = inside ? a[(top + y) * columns + left + threadIdx.x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        turned[slot<layout>(threadIdx.y + 8 * k, threadIdx.x)] = v[k];
    }
    __syncthreads(); // a thread stores what others have loaded
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned x = threadIdx.y + 8 * k;
        if (left + x < columns && top + threadIdx.x < rows) {
            c[(left + x) * rows + top + threadIdx.x] = turned[slot<layout>(threadIdx.x, x)];
        }
    }
}
//! [tile]

//! [float4]
constexpr unsigned wide = 64; // of a tile of float4s, by blocks of 16 x 16 threads
constexpr unsigned quads = wide / 4;

// Each thread turns a square of 4 x 4 in its registers; the tile holds float4s of c. A quarter of a
// warp is served at a time: `^ threadIdx.x % 8` gives each of its eight lanes four banks of its
// own. Rows and columns must be multiples of four, so a square is inside the matrix or outside.
__global__ void tile_float4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float4 turned[wide][quads];
    const std::size_t left = std::size_t{blockIdx.x} * wide;
    const std::size_t top = std::size_t{blockIdx.y} * wide;
    const std::size_t x = left + 4 * threadIdx.x;
    const std::size_t y = top + 4 * threadIdx.y;
    if (x < columns && y < rows) {
        float4 v[4];
        for (unsigned k = 0; k < 4; ++k) {
            v[k] = *reinterpret_cast<const float4*>(a + (y + k) * columns + x);
        }
        const unsigned quad = threadIdx.y ^ threadIdx.x % 8;
        turned[4 * threadIdx.x + 0][quad] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
        turned[4 * threadIdx.x + 1][quad] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
        turned[4 * threadIdx.x + 2][quad] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
        turned[4 * threadIdx.x + 3][quad] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
    }
    __syncthreads();
    const std::size_t v = top + 4 * threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned u = threadIdx.y + quads * k;
        if (left + u < columns && v < rows) {
            *reinterpret_cast<float4*>(c + (left + u) * rows + v) =
                turned[u][threadIdx.x ^ u / 4 % 8];
        }
    }
}
//! [float4]

struct Matrix
{
    std::size_t rows;
    std::size_t columns;

    std::size_t size() const { return rows * columns; }
};

using Kernel = void (*)(const float*, float*, std::size_t, std::size_t);

template<class Problem>
void run(common::Chapter& chapter, Problem& problem, Matrix matrix, const char* name, Kernel kernel,
         dim3 block, dim3 grid, unsigned word = sizeof(float))
{
    const common::Variant variant = {
        name,
        block.x * block.y,
        {{"block", std::to_string(block.x) + "x" + std::to_string(block.y)},
         {"word", word},
         {"rows", matrix.rows},
         {"columns", matrix.columns}}};
    chapter.run(variant, problem, [&](cudaStream_t stream) {
        kernel<<<grid, block, 0, stream>>>(problem.a, problem.c, matrix.rows, matrix.columns);
    });
}

void run_copies(common::Chapter& chapter, Matrix m)
{
    common::Copy<float> copy(chapter, m.size());
    const dim3 block(32, 8);
    run(chapter, copy, m, "copy_row", copy_row, block, common::grid(m.columns, m.rows, 32, 8));
    run(chapter, copy, m, "copy_column", copy_column, block,
        common::grid(m.rows, m.columns, 32, 8));
    common::run_copy_peers(chapter, copy, {{"rows", m.rows}, {"columns", m.columns}});
}

void run_transposes(common::Chapter& chapter, Matrix m, bool all)
{
    common::Reference<float> problem(
        chapter,
        [m](const float* a, std::size_t, std::size_t i) {
            return a[i % m.rows * m.columns + i / m.rows];
        },
        m.size());
    const auto row = [&](const char* name, Kernel kernel, dim3 block, unsigned per_thread = 1) {
        run(chapter, problem, m, name, kernel, block,
            common::grid(m.columns, m.rows, block.x * per_thread, block.y));
    };
    const auto column = [&](const char* name, Kernel kernel, dim3 block, unsigned per_thread = 1) {
        run(chapter, problem, m, name, kernel, block,
            common::grid(m.rows, m.columns, block.x * per_thread, block.y));
    };
    const auto tiles = [&](const char* name, Kernel kernel) {
        run(chapter, problem, m, name, kernel, dim3(side, 8),
            common::grid(m.columns, m.rows, side, side));
    };
    const dim3 block(32, 8);
    if (all) {
        row("naive_row", naive_row, block);
        for (unsigned x : {32u, 16u, 8u}) {
            for (unsigned y : {32u, 16u, 8u}) {
                column("naive_column", naive_column, dim3(x, y));
            }
        }
        row("unroll4_row", unroll4_row, block, 4);
        column("unroll4_column", unroll4_column, block, 4);
        row("diagonal_row", diagonal_row, block);
        column("diagonal_column", diagonal_column, block);
        tiles("tile_plain", tile<Layout::plain>);
        tiles("tile_swizzled", tile<Layout::swizzled>);
    }
    tiles("tile_padded", tile<Layout::padded>);
    if (m.rows % 4 == 0 && m.columns % 4 == 0) {
        run(chapter, problem, m, "tile_float4", tile_float4, dim3(quads, quads),
            common::grid(m.columns, m.rows, wide, wide), sizeof(float4));
    } else { // its rows do not all start at a multiple of 16 bytes: `word` says so
        tiles("tile_float4", tile<Layout::padded>);
    }
    common::run_transpose_peer(chapter, problem, problem.a, problem.c, m.rows, m.columns,
                               {{"rows", m.rows}, {"columns", m.columns}});
}

int main(int argc, char** argv)
{
    common::Chapter chapter("16_transpose", argc, argv);
    const auto n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const auto with_columns = [n](std::size_t columns) {
        columns = std::clamp<std::size_t>(columns, 1, n);
        return Matrix{n / columns, columns};
    };
    run_copies(chapter, with_columns(edge));
    run_transposes(chapter, with_columns(edge), true);
    run_transposes(chapter, with_columns(edge - 1), false);     // odd where `edge` is even
    run_transposes(chapter, with_columns(8 * edge - 4), false); // wide; its last tiles are cut off
    return chapter.finish();
}
