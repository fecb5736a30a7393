// 40.1: Enable peer access
//
// a is on device 0, c on device 1. A kernel that runs on device 1 must copy a to c, but it faults
// at its first load. Make it work, on that device and without another copy. When solve() returns,
// device 0 must be the current device again; solve() is called once.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// Called with a in the memory of device 0 and c in that of device 1, of any n up to 2^31.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    cudaSetDevice(1);
    copy<<<static_cast<unsigned>((n + threads - 1) / threads), threads>>>(a, c, n);
}
