// A captured graph, updated by another capture and by a node's parameters.
// RUN => 0 first 10, updated 20, changed 37, refused 2
#include <cstdio>
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
int main()
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
