// 02.3: Count the partial warps of a block size
//
// One kernel that copies 960 elements, launched four times, each time in blocks of another size.
// Not every one is a multiple of 32: the last warp of a block has what is left. The check runs them
// on the CPU device and prints what it counted, in rows A to D, in an order that tells nothing.
// Which launch made which row? Put the letters in at the end of this file; the rest may stay as it
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
