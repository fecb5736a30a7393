// A tall tile, whose stores can begin at line boundaries for any sides of the matrix.
#pragma once

#include "common/chapter.hpp"

//! [tall]
constexpr unsigned line = 32; // elements: 128 bytes
constexpr unsigned tall_columns = 64;
constexpr unsigned tall_rows = 4 * line; // by blocks of 32 x 8 threads

// If rows of c do not begin at a line, `aligned` shifts the tile in each of them to the next line
// boundary, so that each store of a warp is one whole line. The tile then begins at a different row
// in each column of a; the rows that only some columns need are loaded for all of them.
template<bool aligned>
__global__ void tile_tall(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    constexpr unsigned more = aligned ? line - 1 : 0;
    constexpr unsigned loads = (tall_rows + more + 7) / 8;
    __shared__ float turned[8 * loads][tall_columns + 1];
    const std::size_t left = std::size_t{blockIdx.y} * tall_columns;
    // In the first tile this wraps to a huge number, which the test y < rows rejects.
    const std::size_t top = std::size_t{blockIdx.x} * tall_rows - more;
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
