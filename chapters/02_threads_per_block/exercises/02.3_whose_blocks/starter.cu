// 02.3: Count the partial warps of a block size
//
// One kernel copies 960 elements. It is launched four times, each time with another block size.
// Not every size is a multiple of 32, so the last warp of a block may be partial. The check runs
// the launches on the CPU device and prints its counts, in rows A to D, in no particular order.
// Which launch produced which row? Enter the letters at the end of this file. Leave the rest as it
// is.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// How the check launches it.
void solve(unsigned threads, const float* a, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}

// Your answers: 'A', 'B', 'C' or 'D'.
char row_of_blocks_of_16()
{
    return '?';
}
char row_of_blocks_of_40()
{
    return '?';
}
char row_of_blocks_of_48()
{
    return '?';
}
char row_of_blocks_of_64()
{
    return '?';
}
