// 17.1: Scatter within a block through shared memory
//
// The indices are shuffled only within blocks: those of elements 256 k to 256 k + 255 are the same
// numbers in another order; the last block may be shorter. The kernel scatters by these indices,
// so a store of a warp touches about 21 sectors, and L1 merges only some of them. Let every load
// and every store touch the minimum of four sectors.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void scatter(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        c[index[i]] = a[i];
    }
}

// Called with arrays in device memory, of any n up to 2^31. No index comes twice.
void solve(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    scatter<<<blocks, threads>>>(index, a, c, n);
}
