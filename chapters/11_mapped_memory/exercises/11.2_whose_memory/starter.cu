// 11.2: Which memory does a pointer name?
//
// c should be twice the array a. c is in device memory; of a you know only the address. It may lie
// in device memory, in page-locked host memory, in managed memory, or in ordinary host memory. This
// version works for three of them. Make it correct for all four. Copy only if no kernel can read
// the memory in place, and free what you allocate.

#include <cstddef>

__global__ void twice(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = 2 * a[i];
    }
}

// Called with c in device memory and a wherever it may be, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    twice<<<blocks, threads>>>(a, c, n);
}
