// A kernel that the host calls as a function does nothing, as nvcc's stub does; and one of its parameters is named as a type.
// RUN => 0 (?s)\A2\n.*called_as_function\.cu:14: the host calls a kernel without <<<\.\.\.>>>: nothing runs
#include <cstdio>
#include <utility>
__global__ void add(int* a, int dim3)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < dim3) a[i] += i;
}
template<class Kernel, class... Arguments>
void benchmark(Kernel kernel, Arguments&&... arguments)
{
    for (int i = 0; i < 3; ++i)
        kernel(std::forward<Arguments>(arguments)...);
}
int main()
{
    int *a, h[4];
    cudaMalloc(&a, sizeof h);
    cudaMemset(a, 0, sizeof h);
    add<<<1, 32>>>(a, 3);
    benchmark(add, a, 4);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[2] + h[3]);
}
