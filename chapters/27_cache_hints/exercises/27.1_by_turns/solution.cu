// 27.1: By turns, a solution
//
// The blocks that are left over go to the first parts, one to each, so those are a block longer.
// A part begins behind all parts before it: their blocks, and one more for each of them that is
// longer. Turns count through the parts as before, and the last round ends where the longer ones
// do.

#include <cstddef>

constexpr unsigned parts = 16;

__host__ __device__ unsigned place_of(unsigned turn, unsigned blocks)
{
    const unsigned part = turn % parts;
    const unsigned longer = blocks % parts; // parts, the first ones
    const unsigned begin = part * (blocks / parts) + (part < longer ? part : longer);
    return begin + turn / parts;
}

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t place = place_of(blockIdx.x, gridDim.x);
    const std::size_t i = place * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}
