// 32.2: Reuse the vector for four rows
//
// Each warp multiplies one row of a matrix by the vector x, and reads all of x to do so. In total,
// the warps therefore read as many bytes of x as of the matrix. Let each warp process four rows,
// and load each element of x once for all four.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void multiply(const float* a, const float* x, float* c, std::size_t rows,
                         std::size_t columns, std::size_t pitch)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    if (r < rows) {
        float sum = 0;
        for (std::size_t k = lane; k < columns; k += 32) {
            sum += a[r * pitch + k] * x[k];
        }
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (lane == 0) {
            c[r] = sum;
        }
    }
}

// Called with a matrix whose rows begin `pitch` floats apart, and x and c in device memory.
void solve(const float* a, const float* x, float* c, std::size_t rows, std::size_t columns,
           std::size_t pitch)
{
    const unsigned threads = 256;
    const std::size_t warps = rows;
    const unsigned blocks = static_cast<unsigned>((warps * 32 + threads - 1) / threads);
    multiply<<<blocks, threads>>>(a, x, c, rows, columns, pitch);
}
