// 05.2: Align pieces for vector loads
//
// The arrays are added in four pieces, as in the pipeline of chapter 04, with one launch of the
// page's float4 kernel per piece. The kernel is correct, and the arrays begin at multiples of 256
// bytes. Still it ends with an error for most n. Find out why, and make it correct for every n.
// Keep four launches, and keep most loads 16 bytes wide.

#include <algorithm>
#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}

// Called with arrays in device memory, and n from 100 to 2^31.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t piece = (n + 3) / 4;
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t count = std::min(piece, n - first);
        const unsigned blocks = static_cast<unsigned>((count / 4 + 1 + 255) / 256);
        add<<<blocks, 256>>>(a + first, b + first, c + first, count);
    }
}
