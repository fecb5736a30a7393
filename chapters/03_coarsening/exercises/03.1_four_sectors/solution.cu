// 03.1: Four sectors a load, a solution
//
// In each step the threads of a block take blockDim.x neighbours, so 32 lanes load 128 bytes that
// lie together. The guard stands inside the loop: a thread may have elements in some steps only. No
// load stands behind a store, which for all that a compiler knows writes what is loaded next.

#include <cstddef>

constexpr unsigned per_thread = 4;

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    float x[per_thread];
    float y[per_thread];
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k * blockDim.x;
        x[k] = i < n ? a[i] : 0.0f;
        y[k] = i < n ? b[i] : 0.0f;
    }
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) {
            c[i] = x[k] + y[k];
        }
    }
}

void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned per_block = threads * per_thread;
    const unsigned blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add<<<blocks, threads>>>(a, b, c, n);
}
