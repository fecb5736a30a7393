// 14.3: Compute an aligned pitch
//
// Each element of c is the element of a at the same place plus the mirrored element of the same
// row. A first kernel copies the rows of a into a matrix t, whose pitch must be the smallest that
// lets every row begin at a sector; a second kernel adds. No kernel accesses memory outside its
// arrays, and a single row is right. With several rows some elements are wrong, and not always the
// same ones. Why?

#include <cstddef>

// Bytes from row to row: a multiple of a sector.
std::size_t own_pitch(std::size_t columns)
{
    return columns * sizeof(float) / 32 * 32;
}

__global__ void copy_rows(const float* a, float* t, std::size_t columns, std::size_t rows,
                          std::size_t pitch_of_a, std::size_t pitch_of_t)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        t[y * (pitch_of_t / sizeof(float)) + x] = a[y * (pitch_of_a / sizeof(float)) + x];
    }
}

__global__ void add_mirrored(const float* t, float* c, std::size_t columns, std::size_t rows,
                             std::size_t pitch_of_t, std::size_t pitch_of_c)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        const float* row = t + y * (pitch_of_t / sizeof(float));
        c[y * (pitch_of_c / sizeof(float)) + x] = row[x] + row[columns - 1 - x];
    }
}

// Called with matrices of 100 columns, whose `pitch` is from cudaMallocPitch, in device memory.
void solve(const float* a, float* c, std::size_t columns, std::size_t rows, std::size_t pitch)
{
    const std::size_t own = own_pitch(columns);
    float* t = nullptr;
    cudaMalloc(&t, rows * columns * sizeof(float)); // space for every element
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((columns + block.x - 1) / block.x),
                    static_cast<unsigned>((rows + block.y - 1) / block.y));
    copy_rows<<<grid, block>>>(a, t, columns, rows, pitch, own);
    add_mirrored<<<grid, block>>>(t, c, columns, rows, own, pitch);
    cudaFree(t);
}
