// Rows that a warp reads three times: what the L2 still has of them follows from what all warps read in
// between, of which one block in many is counted.
// RUN => 0 read_again +4096 +256 +1 +0\.01\d+ [^$]*read_again +1024 +256 +1 +0\.04\d+ 
#include <cstdio>

constexpr unsigned warp = 32;

__global__ void read_again(const float* a, float* c, unsigned floats)
{
    const size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / warp;
    float known = 0;
    for (int pass = 0; pass < 3; ++pass) {
        float sum = 0;
        for (unsigned i = threadIdx.x % warp; i < floats; i += warp)
            sum += __ldcg(a + row * floats + i) - known;
        for (unsigned offset = warp / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(~0U, sum, offset);
        known = sum;
    }
    c[row * warp + threadIdx.x % warp] = known;
}

int main()
{
    const size_t n = size_t{1} << 24;
    float* a;
    float* c;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&c, n * sizeof *c);
    cudaMemset(a, 0, n * sizeof *a);
    for (const unsigned floats : {512U, 2048U})
        read_again<<<unsigned(n / floats / 8), 256>>>(a, c, floats);
    std::puts(cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
}
