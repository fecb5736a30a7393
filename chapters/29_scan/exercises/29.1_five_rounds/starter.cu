// 29.1: Warp scan with shuffles
//
// The n words form lists of 32; the last list may be shorter. Replace each word by the sum of all
// words of its list up to and including itself. The result is correct, but each lane reads all
// words before its own again. Let each lane read only its own word, and get the rest by shuffles.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void scan_lists(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = 0;
        for (std::size_t k = i / 32 * 32; k <= i; ++k) {
            x += a[k];
        }
        c[i] = x;
    }
}

// Called with n words each, at most 2^31, in device memory.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    scan_lists<<<blocks, threads>>>(a, c, n);
}
