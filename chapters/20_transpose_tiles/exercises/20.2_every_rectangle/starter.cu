// 20.2: Tiled transpose for any rectangle
//
// Combine what you know: the index, the direction, the tile and its edge, the banks. Load and
// store each element once, along rows on both sides, with one wavefront per shared-memory request.
// The matrix may be a single element, two million rows of one element, one row of two million, or
// anything between.

#include <cstddef>

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

// Called with matrices in device memory; `rows` and `columns`, of a, are any numbers.
// There are at most 2^31 elements.
void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
