// 20.1: The edge of the tile, a solution
//
// Behind the barrier a thread has another element than in front of it: k counts columns of a now,
// and threadIdx.x rows. Each guard has to ask about the element that is accessed behind it. Where
// the tile sticks out on the right, other threads have nothing to store than had nothing to load.

#include <cstddef>

constexpr unsigned side = 32; // of a tile, by blocks of 32 x 8 threads: four elements a thread

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float tile[side][side];
    const std::size_t left = std::size_t{blockIdx.x} * side;
    const std::size_t top = std::size_t{blockIdx.y} * side;
    for (unsigned k = threadIdx.y; k < side; k += blockDim.y) {
        if (left + threadIdx.x < columns && top + k < rows) {
            tile[k][threadIdx.x] = a[(top + k) * columns + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.y; k < side; k += blockDim.y) {
        if (left + k < columns && top + threadIdx.x < rows) {
            c[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(side, 8);
    const dim3 grid(static_cast<unsigned>((columns + side - 1) / side),
                    static_cast<unsigned>((rows + side - 1) / side));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
