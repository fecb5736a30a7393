// Memory, graphs and libraries, as calls of the runtime.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <vector>
#include "cases.hpp"

// CASE memory_pool
// Memory from pools, in the order of a stream.
// RUN => 0 sum 4096, threshold 18446744073709551615, used before 4096 after 0
namespace memory_pool {
__global__ void fill(int* x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void add(const int* a, const int* b, int* c) { const int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + b[i]; }
CASE(memory_pool)
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
} // namespace memory_pool

// CASE graph_memory
// Memory that a graph allocates and frees, by nodes and by capture.
// RUN => 0 node 96, captured 42
namespace graph_memory {
__global__ void fill(int* x) { x[threadIdx.x] = 3; }
__global__ void sum(const int* x, int* out) { for (int i = 0; i < 32; ++i) *out += x[i]; }
__global__ void set(int* x) { *x = 42; }
__global__ void get(const int* x, int* out) { *out = *x; }
CASE(graph_memory)
{
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    *out = 0;
    cudaGraph_t graph;
    cudaGraphNode_t allocate, filled, summed, freed;
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 32 * sizeof(int);
    cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
    int* x = (int*)memory.dptr;
    void *one[] = {&x}, *two[] = {&x, &out};
    cudaKernelNodeParams kernel = {(void*)fill, dim3(1), dim3(32), 0, one, nullptr};
    cudaGraphAddKernelNode(&filled, graph, &allocate, 1, &kernel);
    kernel = {(void*)sum, dim3(1), dim3(1), 0, two, nullptr};
    cudaGraphAddKernelNode(&summed, graph, &filled, 1, &kernel);
    cudaGraphAddMemFreeNode(&freed, graph, &summed, 1, x);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    cudaGraphLaunch(executable, 0);
    cudaDeviceSynchronize();
    printf("node %d, ", *out);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* scratch;
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

// CASE graph_nodes
// A graph made of nodes by hand: copies, memsets of words, kernels, host calls, a child.
// RUN => 0 runs 3, sum 7168, nodes 6, roots 2, edges 5, clone 7168
__global__ void scale(const float* in, float* out, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
__global__ void reduce(const float* in, int n, unsigned* sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, (unsigned)in[i]);
}
void CUDART_CB count(void* data) { ++*static_cast<int*>(data); }
CASE(graph_nodes)
{
    int n = 1024, runs = 0;
    std::vector<float> host(n, 3.0f);
    float *in, *out, factor = 2;
    unsigned *sum, result = 0;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&sum, sizeof(unsigned));
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t copy_in, clear, scaled, reduced, copy_out, called;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), n * sizeof(float), n, 1);
    copy.dstPtr = make_cudaPitchedPtr(in, n * sizeof(float), n, 1);
    copy.extent = make_cudaExtent(n * sizeof(float), 1, 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaGraphAddMemcpyNode(&copy_in, graph, nullptr, 0, &copy);
    cudaMemsetParams zero = {};
    zero.dst = sum;
    zero.value = 1024;
    zero.elementSize = 4;
    zero.width = 1;
    zero.height = 1;
    cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero);
    void* scale_arguments[] = {&in, &out, &factor, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)scale;
    kernel.gridDim = dim3(4);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = scale_arguments;
    cudaGraphAddKernelNode(&scaled, graph, &copy_in, 1, &kernel);
    void* reduce_arguments[] = {&out, &n, &sum};
    kernel.func = (void*)reduce;
    kernel.kernelParams = reduce_arguments;
    cudaGraphAddKernelNode(&reduced, graph, nullptr, 0, &kernel);
    cudaGraphNode_t from[] = {scaled, clear}, to[] = {reduced, reduced};
    cudaGraphAddDependencies(graph, from, to, 2);
    cudaGraphAddMemcpyNode1D(&copy_out, graph, &reduced, 1, &result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaHostNodeParams host_call = {count, &runs};
    cudaGraphAddHostNode(&called, graph, &copy_out, 1, &host_call);
    size_t nodes = 0, roots = 0, edges = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphGetRootNodes(graph, nullptr, &roots);
    cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, NULL, NULL, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("runs %d, sum %u, nodes %zu, roots %zu, edges %zu, ", runs, result, nodes, roots, edges);
    cudaGraph_t clone;
    cudaGraphExec_t of_clone;
    cudaGraphClone(&clone, graph);
    cudaGraphInstantiate(&of_clone, clone, 0);
    result = 0;
    cudaGraphLaunch(of_clone, stream);
    cudaStreamSynchronize(stream);
    printf("clone %u\n", result);
}

// CASE graph_update
// A captured graph, updated by another capture and by a node's parameters.
// RUN => 0 first 10, updated 20, changed 37, refused 2
namespace graph_update {
__global__ void set(int* x, int v) { *x = v; }
__global__ void add(int* x, int v) { *x += v; }
cudaGraph_t capture(cudaStream_t stream, int* x, int v, bool more)
{
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, stream>>>(x, v);
    add<<<1, 1, 0, stream>>>(x, v);
    if (more) add<<<1, 1, 0, stream>>>(x, v);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}
CASE(graph_update)
{
    int *x, forty = 32;
    cudaStream_t stream;
    cudaMallocManaged(&x, sizeof(int));
    cudaStreamCreate(&stream);
    cudaGraph_t graph = capture(stream, x, 5, false), other = capture(stream, x, 10, false), longer = capture(stream, x, 1, true);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("first %d, ", *x);
    cudaGraphExecUpdateResultInfo information;
    cudaGraphExecUpdate(executable, other, &information);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("updated %d, ", *x);
    cudaGraphExec_t second;
    cudaGraphInstantiate(&second, graph, 0);
    size_t count = 2;
    cudaGraphNode_t nodes[2];
    cudaGraphGetNodes(graph, nodes, &count);
    void* arguments[] = {&x, &forty};
    cudaKernelNodeParams parameters = {(void*)add, dim3(1), dim3(1), 0, arguments, nullptr};
    cudaGraphExecKernelNodeSetParams(second, nodes[1], &parameters);
    cudaGraphLaunch(second, stream);
    cudaStreamSynchronize(stream);
    printf("changed %d, ", *x);
    cudaGraphExecUpdate(executable, longer, &information);
    printf("refused %d\n", (int)information.result);
}
} // namespace graph_update

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
    Vector** v;
    int* out;
    size_t limit;
    cudaMalloc(&v, sizeof *v);
    cudaMallocManaged(&out, 3 * sizeof(int));
    out[1] = 0;
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
// The headers and handles of libraries, none of which computes, stop nothing.
// RUN => 0 sum 496, status success
namespace library_handle {
static const char* name_of(cublasStatus_t status) { switch (status) { case CUBLAS_STATUS_SUCCESS: return "success"; default: return "error"; } }
static const char* name_of(cufftResult status) { return status == CUFFT_SUCCESS ? "success" : "error"; }
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
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    *out = 0;
    if (std::getenv("COMPUTE")) by_library(handle, nullptr, nullptr, nullptr, 1);
    sum<<<1, 32, 0, stream>>>(out);
    cudaStreamSynchronize(stream);
    printf("sum %d, status %s\n", *out, name_of(status));
    cublasDestroy(handle);
}
} // namespace library_handle
