#include <cuda/std/cstddef>

template<class T>
__global__ void add(const T* a, const T* b, T* c, cuda::std::size_t n)
{
    const cuda::std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
