// What a program asks for is not told once more.
// RUN => 0 (?s)\A2 invalid argument\n(?!.*Warning)
#include <cstdio>
__global__ void k(float* x) { *x = 2; }
int main()
{
    float *d, h = 0;
    cudaMalloc(&d, 4);
    cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost);
    const char* said = cudaGetErrorString(cudaGetLastError());
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%g %s\n", h, said);
}
