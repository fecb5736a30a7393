// 14.1: Index a pitched matrix
//
// Both matrices come from cudaMallocPitch. Each element of c is the element of a at the same place
// plus the one below it; elements of the last row have none below. For a single row the kernel is
// right. For more rows it accesses memory outside the matrices. Find the fault.

#include <cstddef>

__global__ void add_below(const float* a, float* c, std::size_t columns, std::size_t rows,
                          std::size_t pitch)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        const float below = y + 1 < rows ? a[(y + 1) * pitch + x] : 0.0f;
        c[y * pitch + x] = a[y * pitch + x] + below;
    }
}

// Called with matrices of 100 or 200 columns in device memory, whose `pitch` is from
// cudaMallocPitch.
void solve(const float* a, float* c, std::size_t columns, std::size_t rows, std::size_t pitch)
{
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    add_below<<<grid, block>>>(a, c, columns, rows, pitch);
}
