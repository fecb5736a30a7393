// 02.0: Count the warps of a block
//
// A warm-up, with three numbers to fill in. This kernel copies 1000 elements in 10 blocks of 100
// threads. A warp takes its 32 lanes from one block. How many warps does a block have? How many
// threads has the last of them? And how many load requests does the launch make, which are loads of
// one warp each? Put your numbers in at the end of this file.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// How the check launches it.
void solve(const float* a, float* c, std::size_t n)
{
    copy<<<10, 100>>>(a, c, n);
}

// Your answers, instead of 1.
unsigned warps_of_a_block()
{
    return 1;
}
unsigned threads_of_its_last_warp()
{
    return 1;
}
unsigned load_requests()
{
    return 1;
}
