// 14.2: The last row is shorter, a solution
//
// Two guards, for two things that may end: a matrix has no column or row beyond its last, and an
// array no element beyond n. The first says which threads write, the second what they write. The
// lanes of a warp are columns of one row, and each row begins at a sector.

#include <cstddef>

__global__ void pack(const float* a, std::size_t n, float* c, std::size_t columns, std::size_t rows,
                     std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::size_t i = y * columns + x;
    if (x < columns && y < rows) {
        c[y * stride + x] = i < n ? a[i] : 0.0f;
    }
}

void solve(const float* a, std::size_t n, float* c, std::size_t columns, std::size_t pitch)
{
    const std::size_t rows = (n + columns - 1) / columns;
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    pack<<<grid, block>>>(a, n, c, columns, rows, pitch);
}
