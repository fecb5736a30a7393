// 15.1: Align to sector boundaries
//
// Copy arrays that do not begin at a sector boundary: both are offset by the same, unknown number
// of elements. Every warp therefore begins inside a sector, and each load and store touches five
// sectors. You cannot move the arrays, but warps need not begin where the arrays do. Let each load
// and store touch four sectors, with one float per thread.

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
