// A parameter that asks for more alignment than malloc() gives, in launches that run from barrier to barrier.
// RUN MOVING_BYTES_COUNT=1 => 0 0 misplaced[^$]*1 of them counted
#include <cstdio>
struct alignas(256) Line { size_t value; };
__global__ void place(Line line, size_t* where)
{
    __syncthreads();
    where[threadIdx.x] = reinterpret_cast<size_t>(&line) + line.value;
}
int main()
{
    const int threads = 1024;
    int misplaced = 0;
    size_t* where;
    cudaMallocManaged(&where, threads * sizeof(size_t));
    for (int repeat = 0; repeat < 3; ++repeat) {
        place<<<1, threads>>>(Line{1}, where);
        cudaDeviceSynchronize();
        for (int i = 0; i < threads; ++i) misplaced += where[i] % alignof(Line) != 1;
    }
    printf("%d misplaced\n", misplaced);
    return misplaced != 0;
}
