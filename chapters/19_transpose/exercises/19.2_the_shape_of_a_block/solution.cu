// 19.2: The shape of a block, a solution
//
// Neighbouring lanes lie below each other in a, and so side by side in c. A block that is eight
// wide gives a warp eight rows of a and four columns: it stores four stretches of eight floats,
// which are whole sectors, and loads eight stretches of four floats, half a sector each.

#include <cstddef>

__global__ void transpose(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

void solve(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const dim3 block(8, 32);
    const dim3 grid(static_cast<unsigned>((rows + block.x - 1) / block.x),
                    static_cast<unsigned>((columns + block.y - 1) / block.y));
    transpose<<<grid, block>>>(a, c, rows, columns);
}
