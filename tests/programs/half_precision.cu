// What the CPU device does not have is refused in one sentence, whatever else does not compile then.
// COMPILE => 1 ^[^\n]*half_precision\.cu:4: Half precision \(cuda_fp16\.h\) runs on a GPU only[^\n]*\n$
#include <cstdio>
#include <cuda_fp16.h>

__global__ void add(const __half* a, const __half* b, __half* c) { *c = __hadd(*a, *b); }

int main()
{
    half* x;
    cudaMalloc(&x, 3 * sizeof(half));
    add<<<1, 1>>>(x, x + 1, x + 2);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
