// 36.1: Missing barrier in a double buffer
//
// c[i] = a[i] + the element before it + the element after it; elements outside of a are 0. Tiles
// arrive by asynchronous copies: while a block processes one tile, the next is in flight into the
// other slot. In the chapter each thread reads only data that it copied itself. Here it also reads
// data that its neighbours copied, and some sums are wrong now and then. What is missing, and
// where?

#include <cuda_pipeline.h>

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned blocks = 8;

// Copies elements first - 1 to first + threads to a slot, asynchronously; 0 where a has none.
__device__ void fetch(float* slot, const float* a, std::size_t n, std::size_t first)
{
    for (unsigned k = threadIdx.x; k < threads + 2; k += threads) {
        if (first + k >= 1 && first + k - 1 < n) {
            __pipeline_memcpy_async(&slot[k], &a[first + k - 1], sizeof(float));
        } else {
            slot[k] = 0.0f;
        }
    }
}

__global__ void add_blocked(const float* a, float* c, std::size_t n)
{
    __shared__ float slots[2][threads + 2];
    const std::size_t step = std::size_t{gridDim.x} * threads;
    std::size_t first = std::size_t{blockIdx.x} * threads;
    unsigned stage = 0;
    fetch(slots[0], a, n, first);
    __pipeline_commit();
    for (; first < n; first += step, stage ^= 1) {
        fetch(slots[stage ^ 1], a, n, first + step);
        __pipeline_commit();
        __pipeline_wait_prior(1); // all but the newest group have arrived: this step's has
        const float* tile = &slots[stage][threadIdx.x];
        if (first + threadIdx.x < n) {
            c[first + threadIdx.x] = tile[0] + tile[1] + tile[2];
        }
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    add_blocked<<<blocks, threads>>>(a, c, n);
}
