// 26.1: Fewer threads than words, a solution
//
// The threads of a block go over its tile in steps of their number, however many they are. In the
// second step a third of them has a word left. The bounds are those of the tile, which may be a
// short one, and the words of the last tile may be none at all.

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
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) {
        to[i] = from[i];
    }
    const std::size_t k = 4 * words + threadIdx.x; // behind the last whole word
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const std::size_t words = n / 4;
    const unsigned blocks = static_cast<unsigned>(words / tile + 1);
    copy_tiles<<<blocks, threads>>>(a, c, n);
}
