// 08.1: Whose wavefronts are these? A solution
//
// Each warp makes one request for the table. In constant memory it takes a wavefront for each
// different word: one if all lanes want the same, eight where the index steps by four (4 * i % 32
// has eight values), 32 if each lane wants its own. In global memory the request is an ordinary
// load; the eight words lie 16 bytes apart, all within the table's four sectors.

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
char row_of_one_a_lane()
{
    return 'B';
}
char row_of_one_a_warp()
{
    return 'D';
}
char row_of_every_fourth()
{
    return 'A';
}
char row_of_in_global_memory()
{
    return 'C';
}
