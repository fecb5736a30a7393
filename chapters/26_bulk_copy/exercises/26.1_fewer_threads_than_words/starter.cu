// 26.1: Loop over a tile with fewer threads than words
//
// On the page, a copy is fastest with tiles of 256 words and blocks of 192 threads, because more
// tiles are in flight per SM. This copy, with words of 16 bytes and without the TMA, was written
// for one thread per word; then somebody changed one number. Make it copy every element again, for
// any n, without changing the tile or block size.

#include <cstddef>

constexpr unsigned threads = 192;
constexpr unsigned tile = 256; // words of 16 bytes that a block copies

__global__ void copy_tiles(const float* a, float* c, std::size_t n)
{
    const std::size_t words = n / 4;
    const std::size_t start = std::size_t{blockIdx.x} * tile;
    const std::size_t count = words - start < tile ? words - start : tile; // the last has fewer
    const float4* from = reinterpret_cast<const float4*>(a) + start;
    float4* to = reinterpret_cast<float4*>(c) + start;
    if (threadIdx.x < count) {
        to[threadIdx.x] = from[threadIdx.x];
    }
    const std::size_t k = 4 * words + threadIdx.x; // behind the last whole word
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k];
    }
}

// Called with arrays in device memory that begin at multiples of 16 bytes, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const std::size_t words = n / 4;
    const unsigned blocks = static_cast<unsigned>(words / tile + 1);
    copy_tiles<<<blocks, threads>>>(a, c, n);
}
