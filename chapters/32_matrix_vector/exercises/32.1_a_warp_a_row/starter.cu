// 32.1: GEMV with one warp per row
//
// Compute in c the product of a matrix, stored row by row, and a vector x. Every thread processes a
// row of its own, so the 32 lanes of a warp read from 32 rows at once. Let the lanes of a warp
// share a row instead, and combine their sums. The result must stay correct for every number of
// rows and columns.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void multiply(const float* a, const float* x, float* c, std::size_t rows,
                         std::size_t columns, std::size_t pitch)
{
    const std::size_t r = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0;
        for (std::size_t k = 0; k < columns; ++k) {
            sum += a[r * pitch + k] * x[k];
        }
        c[r] = sum;
    }
}

// Called with a matrix whose rows begin `pitch` floats apart, and x and c in device memory.
// It has at most 2^31 elements.
void solve(const float* a, const float* x, float* c, std::size_t rows, std::size_t columns,
           std::size_t pitch)
{
    const unsigned threads = 256;
    const std::size_t needed = rows;
    const unsigned blocks = static_cast<unsigned>((needed + threads - 1) / threads);
    multiply<<<blocks, threads>>>(a, x, c, rows, columns, pitch);
}
