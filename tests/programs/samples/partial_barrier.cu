// Barriers that only some threads of a block reach: where the others have returned, a GPU lets it pass.
// RUN => 0 Warning:\s+kernel\s+some\s+\(launched\s+at\s+partial_barrier.cu:21\),\s+block\s+\(0,\s+0,\s+0\):\s+thread\s+\(0,\s+0,\s+0\)\s+and\s+6\s+others\s+wait\s+at\s+the\s+barrier\s+of\s+partial_barrier.cu:8,\s+but\s+thread\s+\(7,\s+0,\s+0\)\s+and\s+248\s+others\s+have\s+returned
// RUN WITHOUT=return => 0 (?s)\A(?!.*Warning)
// RUN BOTH=1 => 6 divergent barrier: thread \(0, 0, 0\) and 127 others wait at the barrier of partial_barrier.cu:13, but thread \(128, 0, 0\) and 127 others wait at the barrier of partial_barrier.cu:14
#include <cstdlib>
__global__ void some(unsigned n)
{
    if (threadIdx.x < n) __syncthreads();
}
__global__ void both()
{
    if (threadIdx.x < 128)
        __syncthreads();
    else __syncthreads();
}
int main()
{
    if (std::getenv("BOTH"))
        both<<<1, 256>>>();
    else
        some<<<1, 256>>>(std::getenv("WITHOUT") ? 256 : 7);
    return cudaDeviceSynchronize();
}
