// 20_transpose_tiles: How fast can a matrix be transposed?
//
// Shared memory turns a tile of the matrix between a load and a store that are both coalesced, by
// words of 4 bytes and of 16, and for sides that are multiples of nothing.

#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

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
    const auto [a, b, c, d] = v;
    v[0] = make_float4(a.x, b.x, c.x, d.x);
    v[1] = make_float4(a.y, b.y, c.y, d.y);
    v[2] = make_float4(a.z, b.z, c.z, d.z);
    v[3] = make_float4(a.w, b.w, c.w, d.w);
}

// Eight lanes at a time store to the tile: `^ threadIdx.x % 8` gives each four banks of its own.
// Rows and columns must be multiples of four, so a square is inside the matrix or outside.
template<bool down, bool past_l1, bool evict_first>
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
            v[k] = past_l1 ? __ldcg(from) : *from;
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
            evict_first ? __stcs(to, value) : void(*to = value);
        }
    }
}
//! [float4]

//! [tall]
constexpr unsigned line = 32; // elements: 128 bytes
constexpr unsigned tall_columns = 64;
constexpr unsigned tall_rows = 4 * line; // by blocks of 32 x 8 threads

// Where the rows of c begin inside of a line, `aligned` cuts them where lines begin: what a warp
// stores is one line. So the tile begins in each column of a at a row of its own, and the rows that
// only some columns need are loaded for all of them.
template<bool aligned>
__global__ void tile_tall(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    constexpr unsigned more = aligned ? line - 1 : 0;
    constexpr unsigned loads = (tall_rows + more + 7) / 8;
    __shared__ float turned[8 * loads][tall_columns + 1];
    const std::size_t left = std::size_t{blockIdx.y} * tall_columns;
    const std::size_t top = std::size_t{blockIdx.x} * tall_rows - more; // wraps: not below `rows`
    for (unsigned part = 0; part < tall_columns; part += 32) {
        const std::size_t x = left + part + threadIdx.x;
        float v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            const std::size_t y = top + threadIdx.y + 8 * k;
            v[k] = x < columns && y < rows ? a[y * columns + x] : 0.0f;
        }
        for (unsigned k = 0; k < loads; ++k) {
            turned[threadIdx.y + 8 * k][part + threadIdx.x] = v[k];
        }
    }
    __syncthreads();
    for (unsigned x = threadIdx.y; x < tall_columns && left + x < columns; x += 8) {
        const std::size_t row = (left + x) * rows; // of c: its first element
        const unsigned first = aligned ? more - row % line : 0;
        for (unsigned k = 0; k < tall_rows; k += line) {
            const unsigned u = first + k + threadIdx.x;
            if (top + u < rows) {
                c[row + top + u] = turned[u][x];
            }
        }
    }
}
//! [tall]

//! [kernels]
const common::TransposeKernel kernels[] = {
    {"tile_plain", tile<Layout::plain, false>, false, {32, 8}, {1, 4}},
    {"tile_padded", tile<Layout::padded, false>, false, {32, 8}, {1, 4}},
    {"tile_swizzled", tile<Layout::swizzled, false>, false, {32, 8}, {1, 4}},
    {"tile_padded_down", tile<Layout::padded, true>, true, {32, 8}, {1, 4}},
    {"tile_float4", tile_float4<false, false, false>, false, {16, 16}, {4, 4}, 16},
    {"tile_float4_down", tile_float4<true, false, false>, true, {16, 16}, {4, 4}, 16},
    {"tile_float4_down_stcs", tile_float4<true, false, true>, true, {16, 16}, {4, 4}, 16},
    {"tile_float4_down_ldcg", tile_float4<true, true, false>, true, {16, 16}, {4, 4}, 16},
    {"tile_tall", tile_tall<false>, true, {32, 8}, {4, 8}},
    {"tile_tall_aligned", tile_tall<true>, true, {32, 8}, {4, 8}, 4, line - 1}};
//! [kernels]

//! [run]
// The kernels of these names, or all.
void run_transposes(common::Chapter& chapter, const common::Extent& m,
                    const std::set<std::string>& names = {})
{
    common::Arrays<float> p = common::transposed(chapter, m);
    for (const common::TransposeKernel& k : kernels) {
        if (names.empty() || names.contains(k.name)) {
            chapter.run(k.row(m), p, [&](cudaStream_t stream) {
                k.launch<<<k.grid(m), k.block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
            });
        }
    }
    common::run_transpose_library(chapter, p, m.rows, m.columns);
}
//! [run]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::size_t n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const common::Extent m = common::matrix_of(n, edge);
    common::Copy<float> copied(chapter, {.n = m.size()});
    common::run_copy_libraries(chapter, copied, {{"rows", m.rows}, {"columns", m.columns}});
    run_transposes(chapter, m);
    // One with odd sides, where that edge is even, and a wide one that ends inside of a tile.
    run_transposes(chapter, common::matrix_of(n, std::max(edge, std::size_t{2}) - 1),
                   {"tile_padded", "tile_padded_down", "tile_tall", "tile_tall_aligned"});
    run_transposes(chapter, common::matrix_of(n, 8 * edge - 4), {"tile_float4_down_ldcg"});
    return chapter.finish();
}
