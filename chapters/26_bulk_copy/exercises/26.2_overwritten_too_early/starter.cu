// 26.2: Barrier before a tile is reused
//
// Eight blocks stay for the whole of a large array and stage one part of 256 elements after the
// other in the same tile. c[i] is to be the element minus its mirror image within the part; the
// last part may be shorter. The barrier between writing and reading the tile is there. The first
// part of each block is right, and of the later ones some elements are not. Find out which reads
// nobody waits for.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned blocks = 8;

__global__ void subtract_mirrored(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t start = std::size_t{blockIdx.x} * threads; start < n; start += step) {
        const std::size_t count = n - start < threads ? n - start : threads;
        if (threadIdx.x < count) {
            tile[threadIdx.x] = a[start + threadIdx.x];
        }
        __syncthreads();
        if (threadIdx.x < count) {
            c[start + threadIdx.x] = tile[threadIdx.x] - tile[count - 1 - threadIdx.x];
        }
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    subtract_mirrored<<<blocks, threads>>>(a, c, n);
}
