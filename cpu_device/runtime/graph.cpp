/// \file
/// Graphs of captured work: instantiation and launch. Capture is in stream.cpp.
#include "runtime/graph.hpp"

#include "core/allocations.hpp"
#include "runtime/handles.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <optional>

using cpu_device::handles;
using cpu_device::keep;

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return keep(handles<CUgraph_st>().remove(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value)
{
    if (node == nullptr || value == nullptr || node->type != cudaGraphNodeTypeKernel)
        return keep(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributeAccessPolicyWindow)
        return cudaSuccess;
    return cpu_device::check_access_policy(value->accessPolicyWindow);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    if (count == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    const std::size_t there = graph->nodes.size();
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
        nodes[i] = i < there ? graph->nodes[i].get() : nullptr;
    *count = nodes == nullptr ? there : std::min(*count, there);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    if (executable == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    auto created = std::make_unique<CUgraphExec_st>();
    for (const auto& node : graph->nodes)
        created->steps.push_back(*node);
    *executable = handles<CUgraphExec_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*,
                                 char*, std::size_t)
{
    return cudaGraphInstantiate(executable, graph, 0ULL);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (!handles<CUgraphExec_st>().contain(executable))
        return keep(cudaErrorInvalidValue);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeGraph, [steps = executable->steps] {
        // Opened once for all steps, unless the host, which may not use it, does some of them.
        std::optional<cpu_device::DeviceMemoryAccess> access;
        if (std::ranges::none_of(steps, [](const CUgraphNode_st& step) {
                return step.type == cudaGraphNodeTypeHost || step.type == cudaGraphNodeTypeGraph;
            }))
            access.emplace(false); // each step tells what it changes
        for (const CUgraphNode_st& step : steps)
            step.work();
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return keep(handles<CUgraphExec_st>().remove(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
