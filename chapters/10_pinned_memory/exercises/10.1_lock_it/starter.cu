// 10.1: Register existing host memory
//
// A library hands you an array in ordinary host memory, and c should be twice that array. The copy
// is slow, because the memory is pageable. Make it a copy from page-locked memory, without copying
// the array on the host. Afterwards the library gets its pages back as they were.

#include <cstddef>

__global__ void twice(float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] *= 2;
    }
}

// Called with host_a in pageable memory and c in device memory, of any n up to 2^31.
void solve(float* host_a, float* c, std::size_t n)
{
    cudaMemcpy(c, host_a, n * sizeof(float), cudaMemcpyHostToDevice);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    twice<<<blocks, threads>>>(c, n);
}
