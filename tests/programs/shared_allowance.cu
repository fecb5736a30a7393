// cudaFuncSetAttribute allows one kernel more shared memory, and no other.
// RUN => 0 first: no error\nother: invalid argument\nfloat: no error\nint: invalid argument
// RUN => 0 shared_allowance\.cu:30: the launch of kernel other asks for 65536 bytes of dynamic shared .* is 49152\. cudaFuncSetAttribute raises
// RUN => 0 kernel first asks for 232449 bytes of dynamic shared .* is 65536\. Have each block work on fewer elements
#include <cstdio>

__global__ void first(float* x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1;
    x[threadIdx.x] = tile[threadIdx.x];
}

__global__ void other(float* x) { x[threadIdx.x] = 1; }

template<class T>
__global__ void typed(T* x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    const int bytes = 64 * 1024;
    float* x;
    cudaMalloc(&x, 32 * sizeof(float));
    cudaFuncSetAttribute(first, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    first<<<1, 32, bytes>>>(x);
    printf("first: %s\n", cudaGetErrorString(cudaGetLastError()));
    other<<<1, 32, bytes>>>(x);
    printf("other: %s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFuncSetAttribute(typed<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    typed<<<1, 32, bytes>>>(x);
    printf("float: %s\n", cudaGetErrorString(cudaGetLastError()));
    typed<<<1, 32, bytes>>>(reinterpret_cast<int*>(x));
    printf("int: %s\n", cudaGetErrorString(cudaGetLastError()));
    first<<<1, 32, 232449>>>(x); // one more than any launch may have
}
