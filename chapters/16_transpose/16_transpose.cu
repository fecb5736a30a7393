// 16_transpose: How fast can a matrix be transposed?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Shared memory turns a tile
// of the matrix between a load and a store that are both coalesced.

#include "common/run/chapter.hpp"

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

// Blocks start in the order of blockIdx.x: side by side in a, or below each other in a, and so side
// by side in c.
template<Layout layout, bool down>
__global__ void tile(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float turned[side * (side + (layout == Layout::padded ? 1 : 0))];
    const std::size_t left = std::size_t{down ? blockIdx.y : blockIdx.x} * side;
    const std::size_t top = std::size_t{down ? blockIdx.x : blockIdx.y} * side;
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
constexpr unsigned wide = 64; // of a tile of float4s, by 256 threads
constexpr unsigned quads = wide / 4;

// The 4 x 4 square of four float4s below each other, transposed in registers.
__device__ void turn(float4 (&v)[4])
{
    const float4 a = v[0];
    const float4 b = v[1];
    const float4 c = v[2];
    const float4 d = v[3];
    v[0] = make_float4(a.x, b.x, c.x, d.x);
    v[1] = make_float4(a.y, b.y, c.y, d.y);
    v[2] = make_float4(a.z, b.z, c.z, d.z);
    v[3] = make_float4(a.w, b.w, c.w, d.w);
}

enum class Hint
{
    none,
    load,
    store
};

// Eight lanes at a time store to the tile: `^ threadIdx.x % 8` gives each four banks of its own.
// Rows and columns must be multiples of four, so a square is inside the matrix or outside.
template<bool down, Hint hint>
__global__ void tile_float4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float4 turned[wide][quads]; // float4s of c
    const std::size_t left = std::size_t{down ? blockIdx.y : blockIdx.x} * wide;
    const std::size_t top = std::size_t{down ? blockIdx.x : blockIdx.y} * wide;
    const std::size_t x = left + 4 * threadIdx.x;
    const std::size_t y = top + 4 * threadIdx.y;
    if (x < columns && y < rows) {
        float4 v[4];
        for (unsigned k = 0; k < 4; ++k) {
            const float4* from = reinterpret_cast<const float4*>(a + (y + k) * columns + x);
            v[k] = hint == Hint::load ? __ldcg(from) : *from;
        }
        turn(v);
        for (unsigned k = 0; k < 4; ++k) {
            turned[4 * threadIdx.x + k][threadIdx.y ^ threadIdx.x % 8] = v[k];
        }
    }
    __syncthreads();
    const std::size_t v = top + 4 * threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned u = threadIdx.y + quads * k;
        if (left + u < columns && v < rows) {
            float4* to = reinterpret_cast<float4*>(c + (left + u) * rows + v);
            const float4 value = turned[u][threadIdx.x ^ u / 4 % 8];
            if constexpr (hint == Hint::store) {
                __stcs(to, value);
            } else {
                *to = value;
            }
        }
    }
}
//! [float4]

struct Matrix
{
    std::size_t rows;
    std::size_t columns;
};

struct Variant
{
    const char* name;
    void (*kernel)(const float*, float*, std::size_t, std::size_t);
    bool down;                     // blockIdx.x runs down the columns of a
    dim3 block;                    // threads
    unsigned along;                // elements of a block, in the direction of blockIdx.x
    unsigned across;               // and of blockIdx.y
    unsigned word = sizeof(float); // bytes a lane moves at once; rows must be multiples of them
};

const Variant padded = {"tile_padded", tile<Layout::padded, false>, false, dim3(side, 8), side,
                        side};
const Variant fastest = {"tile_float4_down_ldcg",
                         tile_float4<true, Hint::load>,
                         true,
                         dim3(quads, quads),
                         wide,
                         wide,
                         16};

template<class Problem>
void run(common::Chapter& chapter, Problem& problem, Matrix m, Variant v)
{
    const std::size_t floats = v.word / sizeof(float);
    if (m.rows % floats != 0 || m.columns % floats != 0) {
        // the column `word` shows that this row is the padded tile
        v = {v.name, tile<Layout::padded, true>, true, dim3(side, 8), side, side};
    }
    const dim3 grid = v.down ? common::grid(m.rows, m.columns, v.along, v.across)
                             : common::grid(m.columns, m.rows, v.along, v.across);
    const std::string block = std::to_string(v.block.x) + "x" + std::to_string(v.block.y);
    chapter.run({v.name,
                 v.block.x * v.block.y,
                 {{"block", block}, {"word", v.word}, {"rows", m.rows}, {"columns", m.columns}}},
                problem, [&](cudaStream_t stream) {
                    v.kernel<<<grid, v.block, 0, stream>>>(problem.a, problem.c, m.rows, m.columns);
                });
}

void run_copies(common::Chapter& chapter, Matrix m)
{
    common::Copy<float> problem(chapter, m.rows * m.columns);
    run(chapter, problem, m, {"copy_row", copy<false>, false, dim3(32, 8), 32, 8});
    run(chapter, problem, m, {"copy_column", copy<true>, true, dim3(32, 8), 32, 8});
    common::run_copy_libraries(chapter, problem, {{"rows", m.rows}, {"columns", m.columns}});
}

void run_transposes(common::Chapter& chapter, Matrix m, const std::vector<Variant>& variants)
{
    const auto element = [m](const float* a, std::size_t, std::size_t i) {
        return a[i % m.rows * m.columns + i / m.rows];
    };
    common::Reference<float> problem(chapter, "transpose", element, m.rows * m.columns);
    for (const Variant& variant : variants) {
        run(chapter, problem, m, variant);
    }
    common::run_transpose_library(chapter, problem, problem.a, problem.c, m.rows, m.columns,
                                  {{"rows", m.rows}, {"columns", m.columns}});
}

std::vector<Variant> all_variants()
{
    const dim3 row(32, 8);
    const dim3 square(quads, quads);
    std::vector<Variant> all = {
        {"naive_row", naive<false>, false, row, 32, 8},
        {"unroll4_row", unroll4<false>, false, row, 4 * 32, 8},
        {"unroll4_column", unroll4<true>, true, row, 4 * 32, 8},
        {"diagonal_row", diagonal<false>, false, row, 32, 8},
        {"diagonal_column", diagonal<true>, true, row, 32, 8},
        {"tile_plain", tile<Layout::plain, false>, false, row, side, side},
        padded,
        {"tile_swizzled", tile<Layout::swizzled, false>, false, row, side, side},
        {"tile_padded_down", tile<Layout::padded, true>, true, row, side, side},
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
    common::Chapter chapter("16_transpose", argc, argv);
    const std::size_t n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const auto with_columns = [n](std::size_t columns) {
        columns = std::clamp<std::size_t>(columns, 1, n);
        return Matrix{n / columns, columns};
    };
    run_copies(chapter, with_columns(edge));
    run_transposes(chapter, with_columns(edge), all_variants());
    run_transposes(chapter, with_columns(edge - 1), {padded, fastest}); // odd for an even edge
    run_transposes(chapter, with_columns(8 * edge - 4), {fastest});     // wide, with cut tiles
    return chapter.finish();
}
