// A call that fails leaves everything as it was; on a GPU a program that does not ask never learns of it.
// RUN => 0 (?s)\A0\n.*Warning: a call of the runtime at unread_error.cu:10 returned\scudaErrorInvalidValue\s\(invalid\sargument:\sthe\scopy's\sdirection
#include <cstdio>
__constant__ float factor;
__global__ void k(float* x) { *x = factor; }
int main()
{
    float *d, h = 2;
    cudaMalloc(&d, 4);
    cudaMemcpyToSymbol(factor, d, 4); // of cudaMemcpyHostToDevice
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
}
