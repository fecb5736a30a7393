// 03.3: Grid-stride loop with a fixed grid
//
// Four elements per thread, strided by the block: that is right for up to 4096 elements, because
// the grid has 16 blocks of 64 threads, and it has no more of them when there is more to do. Leave
// the grid as it is; a kernel knows how many blocks it has by gridDim.x. Let it be right for every
// n, each element added once, and keep its loads coalesced.

#include <cstddef>

constexpr unsigned per_thread = 4;

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) {
            c[i] = a[i] + b[i];
        }
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    add<<<16, 64>>>(a, b, c, n);
}
