// 40.1: Whose memory?, a solution
//
// It is the device that runs the kernel that has to ask, for the memory of the other: with device 1
// in use, cudaDeviceEnablePeerAccess(0, 0). Device 0 is asked for nothing. To ask twice would be an
// error, and a launch after it would be refused for that error until somebody has read it.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    copy<<<static_cast<unsigned>((n + threads - 1) / threads), threads>>>(a, c, n);
    cudaSetDevice(0);
}
