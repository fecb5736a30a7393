// 14.1: The row below, a solution
//
// A pitch is in bytes, and an index of a float array counts floats. Divided by the size of a float
// it is the distance of two rows in elements. Where a pitch is no multiple of the element's size,
// the row's address has to be computed in bytes, on a char pointer.

#include <cstddef>

__global__ void add_below(const float* a, float* c, std::size_t columns, std::size_t rows,
                          std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        const float below = y + 1 < rows ? a[(y + 1) * stride + x] : 0.0f;
        c[y * stride + x] = a[y * stride + x] + below;
    }
}

void solve(const float* a, float* c, std::size_t columns, std::size_t rows, std::size_t pitch)
{
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    add_below<<<grid, block>>>(a, c, columns, rows, pitch);
}
