// 16_transpose: How fast can a matrix be transposed?
//
// Element (y, x) of a becomes element (x, y) of c. If the lanes of a warp load along a row, they
// store down a column, a sector for each lane, and the other way round. Shared memory turns a tile
// of the matrix between a load and a store that are both coalesced.

#include "common/chapter.hpp"

#ifdef __CUDACC__
#include <cuda/ptx>
#endif

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

// Blocks start in the order of blockIdx.x: side by side in a, or below each other, side by side in
// c. Eight lanes at a time store to the tile: `^ threadIdx.x % 8` gives each four banks of its own.
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

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
//! [bulk]
namespace ptx = cuda::ptx;

// The engine stores rows of c as they lie in the tile, so these are padded, not swizzled: lanes
// that take four squares below each other, eight times side by side, have no conflicts then.
__global__ void tile_bulk(const float* a, float* c, std::size_t rows, std::size_t columns)
{
#if __CUDA_ARCH__ >= 900
    __shared__ float4 turned[wide][quads + 1];
    const std::size_t left = std::size_t{blockIdx.y} * wide;
    const std::size_t top = std::size_t{blockIdx.x} * wide;
    const unsigned square_x = threadIdx.x / 32 % 2 * 8 + threadIdx.x % 32 / 4;
    const unsigned square_y = threadIdx.x / 64 * 4 + threadIdx.x % 4;
    const std::size_t x = left + 4 * square_x;
    const std::size_t y = top + 4 * square_y;
    if (x < columns && y < rows) {
        float4 v[4];
        for (unsigned k = 0; k < 4; ++k) {
            v[k] = __ldcg(reinterpret_cast<const float4*>(a + (y + k) * columns + x));
        }
        turn(v);
        for (unsigned k = 0; k < 4; ++k) {
            turned[4 * square_x + k][square_y] = v[k];
        }
    }
    ptx::fence_proxy_async(ptx::space_shared); // the engine is to see what this thread has stored
    __syncthreads();
    if (threadIdx.x < wide && left + threadIdx.x < columns) {
        const std::size_t count = rows - top < wide ? rows - top : wide;
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           c + (left + threadIdx.x) * rows + top, turned[threadIdx.x],
                           static_cast<unsigned>(count * sizeof(float)));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // until then the block must not end
    }
#endif
}
//! [bulk]
#endif

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
    const auto vectors = [&](const char* name, Kernel kernel, bool down, dim3 shape) {
        if (m.rows % 4 != 0 || m.columns % 4 != 0) {
            tiles(name, tile<Layout::padded>); // rows start anywhere: the column `word` says so
        } else {
            run(chapter, problem, m, name, kernel, shape,
                down ? common::grid(m.rows, m.columns, wide, wide)
                     : common::grid(m.columns, m.rows, wide, wide),
                sizeof(float4));
        }
    };
    const dim3 square(quads, quads);
    if (all) {
        vectors("tile_float4", tile_float4<false, Hint::none>, false, square);
        vectors("tile_float4_down", tile_float4<true, Hint::none>, true, square);
        vectors("tile_float4_down_stcs", tile_float4<true, Hint::store>, true, square);
    }
    vectors("tile_float4_down_ldcg", tile_float4<true, Hint::load>, true, square);
    if (all && chapter.has_compute_capability(9, {"tile_bulk"}, m.size())) {
#ifdef __CUDACC__
        vectors("tile_bulk", tile_bulk, true, dim3(quads * quads));
#endif
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
