// 15.1: Where a sector begins, a solution
//
// The grid begins at the last sector boundary that is not behind the array: `lead` elements before
// it. The first `lead` threads have nothing to do, all warps begin at a multiple of 128 bytes from
// that boundary, and the grid needs `lead` threads more at its end.

#include <cstddef>

constexpr std::size_t sector = 32;

// Elements between the sector boundary and the array that begins behind it.
std::size_t lead_of(const float* a)
{
    return reinterpret_cast<std::size_t>(a) % sector / sizeof(float);
}

__global__ void copy(const float* a, float* c, std::size_t n, std::size_t lead)
{
    const std::size_t place = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (place >= lead && place - lead < n) {
        const std::size_t i = place - lead;
        c[i] = a[i];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const std::size_t lead = lead_of(a);
    const unsigned blocks = static_cast<unsigned>((lead + n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n, lead);
}
