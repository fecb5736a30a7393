// 09.1: Keep a per-thread array in registers
//
// Each thread loads four elements that lie blockDim.x apart. Even threads store them as
// they are, odd threads in reverse order. The index of x depends on the thread, so x lies
// in local memory. Keep the four elements in registers, and keep loads and stores
// coalesced.

#include <cstddef>

constexpr unsigned per_thread = 4;

__global__ void turn_odd(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
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
            c[i] = x[threadIdx.x % 2 == 1 ? per_thread - 1 - k : k];
        }
    }
}

// Called with arrays in device memory, of any n up to 2^31; what lies past the
// end of a counts as zero.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned per_block = threads * per_thread;
    const unsigned blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    turn_odd<<<blocks, threads>>>(a, c, n);
}
