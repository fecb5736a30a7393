// 15.3: Aliasing and __restrict__
//
// A signal is to be delayed by `offset` samples, in place: each sample moves up by that many, and
// zeros fill the beginning. The kernel is right if input and output are two arrays, and it was
// used that way until somebody saved the second array. Compare what the kernel promises with how
// it is called. You may use `scratch`, an array of n floats; c must hold the result in the end.

#include <cstddef>

__global__ void delay(const float* __restrict__ from, float* __restrict__ to, std::size_t n,
                      std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = i < offset ? 0.0f : from[i - offset];
    }
}

// Called with two arrays of any n up to 2^31 in device memory; c holds the signal.
void solve(float* c, [[maybe_unused]] float* scratch, std::size_t n, std::size_t offset)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    delay<<<blocks, threads>>>(c, c, n, offset);
}
