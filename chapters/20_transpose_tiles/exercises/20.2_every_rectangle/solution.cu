// 20.2: A transpose for every rectangle, a solution
//
// A tile of 32 x 32 elements, loaded along rows of a and stored along rows of c. Element (y, x) of
// the tile lies in column x ^ y, so that a row of the tile and a column of it both meet every bank
// once. Rows of 33 words would do the same. A thread has four loads on their way before it needs
// the first. All tiles are numbered in x, because y has at most 65535 blocks, and down the rows of
// a first: neighbouring blocks then store side by side.

#include <cstddef>

constexpr unsigned side = 32; // of a tile, by blocks of 32 x 8 threads: four elements a thread
constexpr unsigned step = 8;

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float tile[side][side];
    const unsigned down = static_cast<unsigned>((rows + side - 1) / side); // tiles
    const std::size_t left = std::size_t{blockIdx.x / down} * side;
    const std::size_t top = std::size_t{blockIdx.x % down} * side;
    float v[side / step];
    for (unsigned k = 0; k < side / step; ++k) {
        const unsigned y = threadIdx.y + step * k;
        const bool inside = left + threadIdx.x < columns && top + y < rows;
        v[k] = inside ? a[(top + y) * columns + left + threadIdx.x] : 0.0f;
    }
    for (unsigned k = 0; k < side / step; ++k) {
        const unsigned y = threadIdx.y + step * k;
        tile[y][threadIdx.x ^ y] = v[k];
    }
    __syncthreads();
    for (unsigned k = 0; k < side / step; ++k) {
        const unsigned x = threadIdx.y + step * k;
        if (left + x < columns && top + threadIdx.x < rows) {
            c[(left + x) * rows + top + threadIdx.x] = tile[threadIdx.x][x ^ threadIdx.x];
        }
    }
}

void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(side, step);
    const std::size_t down = (rows + side - 1) / side;
    const std::size_t across = (columns + side - 1) / side;
    transpose<<<static_cast<unsigned>(down * across), block>>>(a, c, rows, columns);
}
