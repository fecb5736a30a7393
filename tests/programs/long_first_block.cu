// A launch of which a sample is counted, and a first block a thousand times as long as the others: it
// stands for itself alone, so that both counts are exact.
// RUN => 0 long_first +65536 +256 +1 +4 258 240 +4\.00 +100 % +524 288 .*\n(.*\n)*Counts of large launches are scaled from a sample of their blocks, spread over the grid \(long_first: \d+ \d+ of 65 536\s+blocks\)
// RUN MOVING_BYTES_COUNT=all => 0 long_first +65536 +256 +1 +4 258 240 +4\.00 +100 % +524 288
#include <cstdio>

constexpr unsigned blocks = 65536, threads = 256, rounds = 8, of_the_first = 8000;

__global__ void long_first(const float* a, float* c)
{
    float sum = 0;
    const unsigned own = blockIdx.x == 0 ? of_the_first : rounds;
    for (unsigned round = 0; round < own; ++round)
        sum += a[round * threads + threadIdx.x];
    c[blockIdx.x * threads + threadIdx.x] = sum;
}

int main()
{
    float *a, *c;
    cudaMalloc(&a, of_the_first * threads * sizeof(float));
    cudaMalloc(&c, blocks * threads * sizeof(float));
    cudaMemset(a, 0, of_the_first * threads * sizeof(float));
    long_first<<<blocks, threads>>>(a, c);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(c);
}
