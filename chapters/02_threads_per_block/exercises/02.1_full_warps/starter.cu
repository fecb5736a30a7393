// 02.1: Round the block size to full warps
//
// This launch has a block for each element, of one thread each, and all that it computes is right.
// But all lanes of a warp belong to one block: here 31 of 32 are missing, and every element takes
// requests of its own. Launch full warps, so that there are as few requests as there can be, and no
// block without work.

#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = blockIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in device memory, of any n.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>(n);
    add<<<blocks, 1>>>(a, b, c, n);
}
