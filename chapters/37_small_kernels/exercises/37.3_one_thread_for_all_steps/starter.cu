// 37.3: One launch for independent steps
//
// In each step a word becomes its own value plus the previous step's result at the same position. A
// launch per step reads what the previous launch has written. But no thread needs the result of
// another thread: run all steps in one launch, which reads each word of a once and nothing else.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t count)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = before == nullptr ? a[i] : a[i] + before[i];
    }
}

// Called with n words in device memory: pieces of m of them, one for each step. The last one may be
// shorter.
void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m)
{
    for (std::size_t piece = 0; piece < n; piece += m) {
        const std::size_t count = n - piece < m ? n - piece : m;
        const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
        step<<<blocks, threads>>>(a + piece, piece == 0 ? nullptr : c + (piece - m), c + piece,
                                  count);
    }
}
