// What the CPU device does not have is refused in one sentence, whatever else does not compile then.
// COMPILE => 1 ^[^\n]*tensor_cores\.cu:4: mma\.h belongs to the tensor cores[^\n]*\n$
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

__global__ void multiply(float* c)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main()
{
    float* c;
    cudaMalloc(&c, 256 * sizeof(float));
    multiply<<<1, 32>>>(c);
}
