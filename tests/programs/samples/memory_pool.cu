// Memory from pools, in the order of a stream.
// RUN => 0 sum 4096, threshold 18446744073709551615, used before 4096 after 0
#include <cstdint>
#include <cstdio>
__global__ void fill(int* x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void add(const int* a, const int* b, int* c) { const int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + b[i]; }
int main()
{
    int device = 0, supported = 0, *a, *b, h[1024];
    cudaStream_t stream;
    cudaMemPool_t pool, own;
    cudaStreamCreate(&stream);
    cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device);
    cudaDeviceGetDefaultMemPool(&pool, device);
    uint64_t threshold = UINT64_MAX, kept = 0, before = 0, after = 0;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPoolCreate(&own, &properties);
    cudaMallocAsync(&a, 1024 * sizeof(int), stream);
    cudaMallocFromPoolAsync(&b, 1024 * sizeof(int), own, stream);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before);
    fill<<<4, 256, 0, stream>>>(a, 1);
    fill<<<4, 256, 0, stream>>>(b, 3);
    add<<<4, 256, 0, stream>>>(a, b, a);
    cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(a, stream);
    cudaFreeAsync(b, stream);
    cudaStreamSynchronize(stream);
    cudaMemPoolTrimTo(own, 0);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after);
    cudaMemPoolDestroy(own);
    int sum = 0;
    for (int x : h) sum += x;
    printf("sum %d, threshold %llu, used before %llu after %llu\n", supported * sum, (unsigned long long)kept, (unsigned long long)before, (unsigned long long)after);
}
