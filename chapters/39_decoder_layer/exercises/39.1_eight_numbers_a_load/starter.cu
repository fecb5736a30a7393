// 39.1: Load eight bf16 values at once
//
// One warp per row: compute in c[r] the dot product of row r of `a` and x. Rows have `columns`
// bfloat16 values, a multiple of 256, and begin at multiples of 16 bytes, as x does. The sums are
// correct, but each lane loads 2 bytes at a time. Let it load 16 bytes of the row and 16 bytes of
// x.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

__global__ void dot(const __nv_bfloat16* a, const __nv_bfloat16* x, float* c, std::size_t rows,
                    std::size_t columns)
{
    const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) {
        return; // the whole warp
    }
    float sum = 0;
    for (std::size_t i = threadIdx.x % 32; i < columns; i += 32) {
        sum += __bfloat162float(a[row * columns + i]) * __bfloat162float(x[i]);
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }
    if (threadIdx.x % 32 == 0) {
        c[row] = sum;
    }
}

// Called with rows times columns elements in a, columns of them in x, and a c of one float per row.
void solve(const __nv_bfloat16* a, const __nv_bfloat16* x, float* c, std::size_t rows,
           std::size_t columns)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((rows * 32 + threads - 1) / threads);
    dot<<<blocks, threads>>>(a, x, c, rows, columns);
}
