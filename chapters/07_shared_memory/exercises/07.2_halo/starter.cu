// 07.2: Stencil halo in shared memory
//
// Each element of c is the sum of eight neighbours, a[i] + a[i + 1] + ... + a[i + 7]; elements past
// the end of the array count as zero. Each block stages its part of a in shared memory and adds
// there. But the last seven sums of every block need elements that the next block loads, and this
// kernel leaves them out. Stage them, too: a block may load its own elements and the seven after
// them, each of them once.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned window = 8;

__global__ void sum_window(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        for (unsigned k = 0; k < window; ++k) {
            if (threadIdx.x + k < threads) { // the next block's elements are missing
                sum += tile[threadIdx.x + k];
            }
        }
        c[i] = sum;
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    sum_window<<<blocks, threads>>>(a, c, n);
}
