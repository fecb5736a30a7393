// 35.1: Coalesced row gather
//
// Rows of 512 bytes are read from a cache whose pages of 16 rows lie anywhere. A thread has a row,
// and loads and stores it vector by vector, so that the lanes of a warp are 512 bytes apart. Let
// every load and store of rows touch no more sectors than its bytes fill.

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
