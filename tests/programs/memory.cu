// Memory, graphs and libraries, as calls of the runtime.
#include <cstdlib>
#include <cublasLt.h>
#include <cublas_v2.h>
#include "cases.hpp"

// CASE stream_order
// Memory that is taken and given back in the order of a stream.
// RUN => 0 sum 4096
namespace stream_order {
__global__ void fill(int* x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void add(const int* a, const int* b, int* c) { const int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + b[i]; }
CASE(stream_order)
{
    int *a, *b, h[1024];
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync(&a, 1024 * sizeof(int), stream);
    cudaMallocAsync(&b, 1024 * sizeof(int), stream);
    fill<<<4, 256, 0, stream>>>(a, 1);
    fill<<<4, 256, 0, stream>>>(b, 3);
    add<<<4, 256, 0, stream>>>(a, b, a);
    cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(a, stream);
    cudaFreeAsync(b, stream);
    cudaStreamSynchronize(stream);
    int sum = 0;
    for (int x : h) sum += x;
    printf("sum %d\n", sum);
}
} // namespace stream_order

// CASE graph_memory
// Memory that a captured graph allocates and frees; the graph runs twice, and what is captured does not run before.
// RUN => 0 captured 84
namespace graph_memory {
__global__ void set(int* x) { *x = 42; }
__global__ void get(const int* x, int* out) { *out += *x; }
CASE(graph_memory)
{
    int *out = managed_array<int>(1), *scratch;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&scratch, sizeof(int), stream);
    set<<<1, 1, 0, stream>>>(scratch);
    get<<<1, 1, 0, stream>>>(scratch, out);
    cudaFreeAsync(scratch, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("captured %d\n", *out);
}
} // namespace graph_memory

// CASE device_heap
// new, delete, malloc and free in kernels; the heap's limit.
// RUN => 0 sums 2016 2016, exhausted 1, limit 8388608
struct Vector
{
    int size, *data;
    __device__ Vector(int n) : size(n), data(new int[n]) { for (int i = 0; i < n; ++i) data[i] = i; }
    __device__ ~Vector() { delete[] data; }
    __device__ int sum() const { int s = 0; for (int i = 0; i < size; ++i) s += data[i]; return s; }
};
__global__ void create(Vector** v) { if (threadIdx.x == 0) *v = new Vector(64); }
__global__ void use(Vector** v, int* out) { if (threadIdx.x == 0) out[0] = (*v)->sum(); }
__global__ void destroy(Vector** v) { if (threadIdx.x == 0) delete *v; }
__global__ void scratch(int* out)
{
    int* mine = (int*)malloc(2 * sizeof(int));
    mine[0] = threadIdx.x;
    mine[1] = mine[0];
    atomicAdd(out + 1, mine[1]);
    free(mine);
}
__global__ void exhaust(int* out) { out[2] = malloc(1 << 30) == nullptr; }
CASE(device_heap)
{
    Vector** v = uninitialized<Vector*>(1);
    int* out = managed_array<int>(3);
    size_t limit;
    create<<<1, 32>>>(v);
    use<<<1, 32>>>(v, out);
    destroy<<<1, 32>>>(v);
    scratch<<<1, 64>>>(out);
    exhaust<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    printf("sums %d %d, exhausted %d, limit %zu\n", out[0], out[1], out[2], limit);
}

// CASE occupancy
// The shared memory that a kernel declares is among its attributes, and limits how many blocks fit.
// RUN => 0 ^48000 4 0 2\n
__global__ void reverse(float* x)
{
    __shared__ float tile[12000];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

CASE(occupancy)
{
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, reverse);
    int alone, too_much, allowed;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&alone, reverse, 128, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&too_much, reverse, 128, 40000);
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&allowed, reverse, 128, 40000);
    printf("%zu %d %d %d\n", attributes.sharedSizeBytes, alone, too_much, allowed);
}

// CASE library_handle
// The headers and handles of cuBLAS, which does not compute, stop nothing.
// RUN => 0 sum 496, status success
namespace library_handle {
static const char* name_of(cublasStatus_t status) { switch (status) { case CUBLAS_STATUS_SUCCESS: return "success"; default: return "error"; } }
__global__ void sum(int* out) { atomicAdd(out, threadIdx.x); }
void by_library(cublasHandle_t handle, const float* a, const float* b, float* c, int n)
{
    const float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
}
CASE(library_handle)
{
    cublasHandle_t handle;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cublasStatus_t status = cublasCreate(&handle);
    cublasSetStream(handle, stream);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    int* out = managed_array<int>(1);
    if (std::getenv("COMPUTE")) by_library(handle, nullptr, nullptr, nullptr, 1);
    sum<<<1, 32, 0, stream>>>(out);
    cudaStreamSynchronize(stream);
    printf("sum %d, status %s\n", *out, name_of(status));
    cublasDestroy(handle);
}
} // namespace library_handle

// CASE early_allocation
// Memory may be allocated before main().
// RUN => 0 ^1 2\n
__global__ void increment(int* x) { ++*x; }
struct Number
{
    int* x = managed_array<int>(1);
    Number() { *x = 1; }
} number;
CASE(early_allocation)
{
    printf("%d ", *number.x);
    increment<<<1, 1>>>(number.x);
    cudaDeviceSynchronize();
    printf("%d\n", *number.x);
}
