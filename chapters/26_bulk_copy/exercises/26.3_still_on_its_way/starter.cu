// 26.3: Commit one group of copies per iteration
//
// c[i] = 2 a[i], with two tiles in shared memory: while a thread processes its element of one
// tile, its element of the other is in flight, by the asynchronous copy of chapter 07, without
// registers or the TMA. __pipeline_commit() closes a group of copies, and __pipeline_wait_prior(1)
// waits for all groups but the newest. Each thread reads only what it copied itself, so no barrier
// is missing. Yet some elements are read before they have arrived. Which ones, and why? Wait for
// these too, and still keep each thread's next element in flight.

#include <cuda_pipeline.h>

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned blocks = 8;

__global__ void twice(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[2][threads];
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned stage = 0;
    if (i < n) {
        __pipeline_memcpy_async(&tile[stage][threadIdx.x], &a[i], sizeof(float));
        __pipeline_commit();
    }
    for (; i < n; i += step, stage ^= 1) {
        if (i + step < n) {
            __pipeline_memcpy_async(&tile[stage ^ 1][threadIdx.x], &a[i + step], sizeof(float));
            __pipeline_commit();
        }
        __pipeline_wait_prior(1); // all but the newest group have arrived
        c[i] = 2 * tile[stage][threadIdx.x];
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    twice<<<blocks, threads>>>(a, c, n);
}
