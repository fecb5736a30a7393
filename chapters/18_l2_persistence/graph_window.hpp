// A window of a kernel node, for launches by a graph.
#pragma once

#include "common/chapter.hpp"

//! [graph]
// Returns the launch as a graph of one kernel node, which has its own window.
cudaGraphExec_t graph_in_window(const common::Launch& launch,
                                const cudaLaunchAttributeValue& window)
{
    const common::Stream stream;
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    launch(stream);
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t node = nullptr;
    std::size_t nodes = 1;
    CHECK_CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    CHECK_CUDA(
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &window));
    cudaGraphExec_t executable = nullptr;
    CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    return executable;
}
//! [graph]
