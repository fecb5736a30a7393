// 26.2: Barrier before a tile is reused
//
// Eight persistent blocks process a large array in parts of 256 elements, and stage each part in
// the same tile. c[i] is the element minus its mirror image within the part; the last part may be
// shorter. There is a barrier between writing and reading the tile. The first part of each block
// is right, but some elements of later parts are wrong. Find the reads that nothing waits for.

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
