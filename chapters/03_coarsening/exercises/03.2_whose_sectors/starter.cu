// 03.2: Compute the sectors of an access pattern
//
// Four kernels copy an array, each with a different index. The check launches them on the
// CPU device and prints its counts, in rows A to D, in no particular order. Which kernel
// produced which row? Enter the letters at the end of this file. Leave the kernels as they
// are.

#include <cstddef>

__global__ void shifted(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
    if (i < n) {
        c[i] = a[i];
    }
}

__global__ void two_neighbours(const float* a, float* c, std::size_t n)
{
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2;
    for (unsigned k = 0; k < 2; ++k) {
        if (first + k < n) {
            c[first + k] = a[first + k];
        }
    }
}

__global__ void four_neighbours(const float* a, float* c, std::size_t n)
{
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    for (unsigned k = 0; k < 4; ++k) {
        if (first + k < n) {
            c[first + k] = a[first + k];
        }
    }
}

__global__ void backwards(const float* a, float* c, std::size_t n)
{
    const std::size_t end = (std::size_t{blockIdx.x} + 1) * blockDim.x;
    const std::size_t i = end - 1 - threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// How the check launches them.
void solve(unsigned kernel, const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    switch (kernel) {
    case 0:
        return shifted<<<blocks, threads>>>(a, c, n);
    case 1:
        return two_neighbours<<<(blocks + 1) / 2, threads>>>(a, c, n);
    case 2:
        return four_neighbours<<<(blocks + 3) / 4, threads>>>(a, c, n);
    default:
        return backwards<<<blocks, threads>>>(a, c, n);
    }
}

// Your answers: 'A', 'B', 'C' or 'D'.
char row_of_shifted()
{
    return '?';
}
char row_of_two_neighbours()
{
    return '?';
}
char row_of_four_neighbours()
{
    return '?';
}
char row_of_backwards()
{
    return '?';
}
