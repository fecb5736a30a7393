// Memory that a graph allocates and frees, by nodes and by capture.
// RUN => 0 node 96, captured 42
#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = 3; }
__global__ void sum(const int* x, int* out) { for (int i = 0; i < 32; ++i) *out += x[i]; }
__global__ void set(int* x) { *x = 42; }
__global__ void get(const int* x, int* out) { *out = *x; }
int main()
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
