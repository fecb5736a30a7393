// A graph made of nodes by hand: copies, memsets of words, kernels, host calls, a child.
// RUN => 0 runs 3, sum 7168, nodes 6, roots 2, edges 5, clone 7168
#include <cstdio>
#include <vector>
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
int main()
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
