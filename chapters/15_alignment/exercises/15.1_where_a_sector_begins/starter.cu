// 15.1: Align to sector boundaries
//
// A copy of arrays that do not begin where a sector does: both are off by the same number of
// elements, which is not told. So every warp begins in the middle of a sector, and each load and
// store touches five. The arrays stay where they are, but the warps need not begin with them. Let
// each load and store touch four, of one float per thread.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// Called with arrays in device memory, of any n up to 2^31, that begin at the
// same distance from a sector.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}
