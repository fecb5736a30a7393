// 17.1: Scatter within a block through shared memory
//
// The indices are shuffled, but never leave their block: for the elements from 256 k on they are
// the numbers from 256 k on, in another order, and the last block has what is left. The kernel
// scatters to them, and a store of a warp touches some 21 sectors. Let every load and every store
// touch the fewest sectors there are: four.

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
