// 08.1: Count constant-cache wavefronts
//
// Four kernels multiply each element by an entry of a table of 32 floats; they differ in the index
// and in where the table is stored. The check launches them on the CPU device and prints its
// counts, in rows A to D, in no particular order. Which kernel produced which row? Enter the
// letters at the end of this file. Leave the kernels as they are.

#include <cstddef>

constexpr unsigned words = 32;

__constant__ float constant_table[words];
alignas(128) __device__ float global_table[words];

__global__ void one_a_lane(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * constant_table[i % words];
    }
}

__global__ void one_a_warp(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * constant_table[i / 32 % words];
    }
}

__global__ void every_fourth(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * constant_table[4 * i % words];
    }
}

__global__ void in_global_memory(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * global_table[4 * i % words];
    }
}

// How the check launches them.
void solve(unsigned kernel, const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    switch (kernel) {
    case 0:
        return one_a_lane<<<blocks, threads>>>(a, c, n);
    case 1:
        return one_a_warp<<<blocks, threads>>>(a, c, n);
    case 2:
        return every_fourth<<<blocks, threads>>>(a, c, n);
    default:
        return in_global_memory<<<blocks, threads>>>(a, c, n);
    }
}

// Your answers: 'A', 'B', 'C' or 'D'.
char row_of_one_per_lane()
{
    return '?';
}
char row_of_one_per_warp()
{
    return '?';
}
char row_of_every_fourth()
{
    return '?';
}
char row_of_in_global_memory()
{
    return '?';
}
