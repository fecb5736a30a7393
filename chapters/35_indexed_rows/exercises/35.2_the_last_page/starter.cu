// 35.2: Partial last page
//
// Append rows of 64 bytes to a cache in pages of 16 rows, which are in any order. A block writes a
// page. The result is correct if the number of rows is a multiple of 16. Otherwise unused rows of
// the last page are overwritten, which must stay unchanged. Find out what is wrong, and fix it.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned width = 4; // vectors of 16 bytes in a row
constexpr unsigned page_rows = 16;

__global__ void append(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const std::size_t first = std::size_t{blockIdx.x} * page_rows; // row of the page
    const std::size_t r = first + threadIdx.x / width;
    if (first < rows) {
        const std::size_t to = std::size_t{page[blockIdx.x]} * page_rows + threadIdx.x / width;
        c[to * width + threadIdx.x % width] = a[r * width + threadIdx.x % width];
    }
}

// Called with device memory: the places of the pages, the rows, and the cache.
void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows)
{
    const unsigned pages = static_cast<unsigned>((rows + page_rows - 1) / page_rows);
    append<<<pages, page_rows * width>>>(page, a, c, rows);
}
