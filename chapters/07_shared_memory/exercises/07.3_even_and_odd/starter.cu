// 07.3: Avoid bank conflicts by padding
//
// Reorder every 256 elements: first those with an even index, 0, 2, 4, ..., in order, then those
// with an odd one. The elements left at the end stay as they are. The tile keeps both global
// accesses coalesced, but the loads from it use only every second bank, so each takes two
// wavefronts. Make every access to the tile take one.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned half = threads / 2;

__global__ void even_and_odd(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t start = std::size_t{blockIdx.x} * threads;
    const std::size_t i = start + threadIdx.x;
    if (start + threads <= n) {
        tile[threadIdx.x] = a[i];
        __syncthreads();
        const unsigned from = threadIdx.x % half * 2 + threadIdx.x / half;
        c[i] = tile[from];
    } else if (i < n) {
        c[i] = a[i];
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    even_and_odd<<<blocks, threads>>>(a, c, n);
}
