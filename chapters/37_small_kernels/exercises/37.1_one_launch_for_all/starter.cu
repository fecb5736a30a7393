// 37.1: One launch for all pieces
//
// An array consists of pieces of m words; the last may be shorter. Add to each word the number of
// its piece. A launch per piece takes the host longer than the GPU needs for the piece. Process all
// pieces in one launch.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void add(const unsigned* a, unsigned* c, std::size_t count, unsigned piece)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = a[i] + piece;
    }
}

// Called with n words in device memory, at most 2^31, in pieces of m, at most 65,535 of them.
void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m)
{
    for (std::size_t piece = 0; piece * m < n; ++piece) {
        const std::size_t first = piece * m;
        const std::size_t count = n - first < m ? n - first : m;
        const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
        add<<<blocks, threads>>>(a + first, c + first, count, static_cast<unsigned>(piece));
    }
}
