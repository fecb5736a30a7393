// 35.1: Coalesced row gather
//
// Read rows of 512 bytes from a cache whose pages of 16 rows are in any order. Each thread loads
// and stores one row, vector by vector, so the lanes of a warp are 512 bytes apart. Let no load or
// store of rows touch more sectors than its bytes fill.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned width = 32; // vectors of 16 bytes in a row

__global__ void read(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const std::size_t r = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (r < rows) {
        const std::size_t from = std::size_t{page[r / 16]} * 16 + r % 16;
        for (unsigned k = 0; k < width; ++k) {
            c[r * width + k] = a[from * width + k];
        }
    }
}

// Called with device memory: the places of the pages, the cache, and space for its rows.
void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const unsigned threads = 128;
    const unsigned blocks = static_cast<unsigned>((rows + threads - 1) / threads);
    read<<<blocks, threads>>>(page, a, c, rows);
}
