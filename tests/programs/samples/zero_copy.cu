// What a kernel reads of the memory of the host comes over the link.
// RUN => 0 (?s)no error.*device_mem\s+0\.0\d+\s+\d+\s+(?!host).*host_mem\s+1\.\d+\s+\d+\s+host\s.*the\s+link\s+to\s+the\s+host
#include <cstdio>
__global__ void device_mem(const float* a, float* o) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = a[i] + 1; }
__global__ void host_mem(const float* a, float* o) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = a[i] + 1; }
int main()
{
    const int n = 1 << 24;
    float *h, *m, *a, *o;
    cudaHostAlloc(&h, n * 4, cudaHostAllocMapped);
    for (int i = 0; i < n; i++) h[i] = i;
    cudaHostGetDevicePointer(&m, h, 0);
    cudaMalloc(&a, n * 4); cudaMalloc(&o, n * 4);
    cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
    device_mem<<<n / 256, 256>>>(a, o);
    host_mem<<<n / 256, 256>>>(m, o);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
