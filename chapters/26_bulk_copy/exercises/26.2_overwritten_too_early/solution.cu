// 26.2: Overwritten too early, a solution
//
// The barrier says that all have written before anybody reads. In a loop the other half is needed,
// too: all must have read before anybody writes the next part over it. Two tiles in turn would do
// with one barrier a step: whoever writes the first again has passed the barrier of the second, and
// so has everybody read the first.

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
        __syncthreads(); // all have written
        if (threadIdx.x < count) {
            c[start + threadIdx.x] = tile[threadIdx.x] - tile[count - 1 - threadIdx.x];
        }
        __syncthreads(); // all have read
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    subtract_mirrored<<<blocks, threads>>>(a, c, n);
}
