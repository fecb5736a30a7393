// 17.1: A scatter in a block, a solution
//
// The block scatters into shared memory, where there are no sectors, waits until all of it has
// arrived, and stores it in order. Whatever the indices are, as long as they stay in their block,
// the stores take what they would take in order. Lanes that meet in a bank take turns, a handful of
// cycles; a sector that is stored in parts costs the L2 more.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void scatter(const unsigned* index, const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        tile[index[i] % threads] = a[i];
    }
    __syncthreads(); // a thread stores what another has put there
    if (i < n) {
        c[i] = tile[threadIdx.x];
    }
}

void solve(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    scatter<<<blocks, threads>>>(index, a, c, n);
}
