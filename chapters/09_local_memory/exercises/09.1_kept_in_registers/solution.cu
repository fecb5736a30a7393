// 09.1: Kept in registers, a solution
//
// Both candidates have an index that is a number once the loop is unrolled, so both are registers,
// and the thread selects one of the two values. It is the value that depends on the thread now, not
// the index.

#include <cstddef>

constexpr unsigned per_thread = 4;

__global__ void turn_odd(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    const bool odd = threadIdx.x % 2 == 1;
    float x[per_thread];
#pragma unroll
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        x[k] = i < n ? a[i] : 0.0f;
    }
#pragma unroll
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = odd ? x[per_thread - 1 - k] : x[k];
        }
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned per_block = threads * per_thread;
    const unsigned blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    turn_odd<<<blocks, threads>>>(a, c, n);
}
