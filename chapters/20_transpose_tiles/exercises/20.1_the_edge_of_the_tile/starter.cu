// 20.1: Tiles at the matrix edge
//
// The tile makes both sides coalesced, and the kernel is right for matrices whose sides are
// multiples of 32. To support others, somebody added a guard to the loads and stores. It works for
// a single element, but for most rectangles it does not. Find out which elements the guard of the
// stores must test.

#include <cstddef>

constexpr unsigned tile_dim = 32; // blocks of 32 x 8 threads: four elements per thread

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float tile[tile_dim][tile_dim];
    const std::size_t left = std::size_t{blockIdx.x} * tile_dim;
    const std::size_t top = std::size_t{blockIdx.y} * tile_dim;
    for (unsigned k = threadIdx.y; k < tile_dim; k += blockDim.y) {
        if (left + threadIdx.x < columns && top + k < rows) {
            tile[k][threadIdx.x] = a[(top + k) * columns + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.y; k < tile_dim; k += blockDim.y) {
        if (left + threadIdx.x < columns && top + k < rows) {
            c[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

// Called with matrices in device memory; `rows` and `columns` are those of a. There are at most
// 2^31 elements, in at most 2,000,000 rows.
void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(tile_dim, 8);
    const dim3 grid(static_cast<unsigned>((columns + tile_dim - 1) / tile_dim),
                    static_cast<unsigned>((rows + tile_dim - 1) / tile_dim));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
