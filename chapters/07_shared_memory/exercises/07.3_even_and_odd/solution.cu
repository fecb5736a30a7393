// 07.3: Even and odd, a solution
//
// One word of padding behind every 32. A load steps by two words, so its lanes 16 to 31 are a row
// of 32 words further on than lanes 0 to 15; the padding moves them on by one bank, from the even
// banks to the odd ones. The stores stay without conflicts: a warp's 32 words lie in one row.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned half = threads / 2;

// Where element k of the block's part stands in the tile.
__device__ unsigned slot(unsigned k)
{
    return k + k / 32;
}

__global__ void even_and_odd(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads + threads / 32];
    const std::size_t start = std::size_t{blockIdx.x} * threads;
    const std::size_t i = start + threadIdx.x;
    if (start + threads <= n) {
        tile[slot(threadIdx.x)] = a[i];
        __syncthreads();
        const unsigned from = threadIdx.x % half * 2 + threadIdx.x / half;
        c[i] = tile[slot(from)];
    } else if (i < n) {
        c[i] = a[i];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    even_and_odd<<<blocks, threads>>>(a, c, n);
}
