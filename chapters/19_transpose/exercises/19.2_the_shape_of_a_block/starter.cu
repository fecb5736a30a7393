// 19.2: Choose the block shape
//
// A warp loads along a row and stores down a column, so each store touches 32 sectors and uses an
// eighth of each. Let each store touch four sectors and fill them. The loads may then touch eight.
// This needs no shared memory, only another block shape and another direction. The sides of the
// matrix are multiples of eight.

#include <cstddef>

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

// Called with matrices in device memory; `rows` and `columns` are those of a.
void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
