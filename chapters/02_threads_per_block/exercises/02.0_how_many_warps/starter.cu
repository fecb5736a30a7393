// 02.0: Count the warps of a block
//
// Fill in three numbers at the end of this file. The kernel copies 1000 elements in 10 blocks of
// 100 threads. All lanes of a warp belong to one block. How many warps does a block have? How many
// threads does its last warp have? How many load requests does the launch issue? (One load of one
// warp is one request.)

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
