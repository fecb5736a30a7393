// 19.1: Transpose rectangular matrices
//
// This is the obvious transpose. It was tested with many matrices, small and large, and passed,
// but all of them were square. Make it right for every number of rows and columns.

#include <cstddef>

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * columns + y] = a[y * columns + x];
    }
}

// Called with a matrix of so many rows and columns and space for the transposed one, in device
// memory; both lie row by row. There are at most 2^31 elements, in at most 500,000 rows.
void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
