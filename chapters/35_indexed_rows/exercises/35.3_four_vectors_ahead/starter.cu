// 35.3: Batch four vector loads
//
// Read rows of 8 KiB from a cache whose pages of 16 rows are in any order, one row per warp. A lane
// loads a vector, stores it, and loads the next, so a warp has 512 bytes in flight. Let it have 2
// KiB in flight.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned width = 512; // vectors of 16 bytes in a row

__global__ void read(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (r < rows) {
        const uint4* from = a + (std::size_t{page[r / 16]} * 16 + r % 16) * width;
        uint4* to = c + r * width;
        for (unsigned k = threadIdx.x % 32; k < width; k += 32) {
            to[k] = from[k];
        }
    }
}

// Called with device memory: the places of the pages, the cache, and space for its rows.
void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const unsigned threads = 128;
    const unsigned blocks = static_cast<unsigned>((rows * 32 + threads - 1) / threads);
    read<<<blocks, threads>>>(page, a, c, rows);
}
