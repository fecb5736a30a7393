// 01.1: Compute the global thread index
//
// Each thread of this kernel should add one element: c[i] = a[i] + b[i]. But every block adds the
// same first elements, and no thread adds the others. Give each thread an element of its own.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = threadIdx.x; // which block is this thread in?
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in device memory, of any n.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
}
