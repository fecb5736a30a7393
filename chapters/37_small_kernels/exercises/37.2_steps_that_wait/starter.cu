// 37.2: Grid barrier between steps
//
// In each step a word becomes its own value plus the previous step's result of its right neighbour
// (the first word is the neighbour of the last). One kernel runs all steps, with all blocks
// resident at once. The result is correct for one block, and wrong for more. Find out why, and fix
// it.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void steps(const unsigned* a, unsigned* c, std::size_t n, std::size_t m)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t piece = 0; piece < n; piece += m) {
        if (i < m && piece + i < n) {
            unsigned x = a[piece + i];
            if (piece > 0) {
                x += __ldcg(&c[piece - m + (i + 1 == m ? 0 : i + 1)]);
            }
            c[piece + i] = x;
        }
        __syncthreads();
    }
}

// Called with n words in device memory: pieces of m of them, one for each step.
void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m)
{
    const unsigned blocks = static_cast<unsigned>((m + threads - 1) / threads);
    void* arguments[] = {&a, &c, &n, &m};
    cudaLaunchCooperativeKernel(steps, blocks, threads, arguments, 0, nullptr);
}
