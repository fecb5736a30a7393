// cuda::atomic in C++17, and its header before any other.
// RUN => 0 \A128\n
#include <cuda/atomic>
#include <cstdio>
__global__ void k(cuda::atomic<int, cuda::thread_scope_device>* a) { a->fetch_add(1); }
int main()
{
    cuda::atomic<int, cuda::thread_scope_device>* a;
    cudaMallocManaged(&a, 4);
    cudaMemset(a, 0, 4);
    k<<<2, 64>>>(a);
    cudaDeviceSynchronize();
    printf("%d\n", a->load());
}
