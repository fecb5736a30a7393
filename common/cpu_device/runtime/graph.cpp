/// \file
/// Graphs: explicit nodes, instantiation and launch. Capture is in runtime_stream.cpp.
#include "runtime/graph.hpp"

#include "runtime/access_policy.hpp"
#include "runtime/handles.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>

using cpu_device::handles;
using cpu_device::keep;

namespace {

/// Adds a node after checking that its dependencies are nodes of the same graph.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     std::size_t count, cudaGraphNodeType type, std::function<void()> work)
{
    if (node == nullptr || !handles<CUgraph_st>().contain(graph) ||
        (count > 0 && dependencies == nullptr))
        return keep(cudaErrorInvalidValue);
    const auto is_node = [graph](cudaGraphNode_t wanted) {
        return std::ranges::any_of(graph->nodes,
                                   [wanted](const auto& own) { return own.get() == wanted; });
    };
    if (!std::all_of(dependencies, dependencies + count, is_node))
        return keep(cudaErrorInvalidValue);
    *node = graph->add(type, std::move(work));
    return cudaSuccess;
}

} // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags)
{
    if (graph == nullptr || flags != 0)
        return keep(cudaErrorInvalidValue);
    *graph = handles<CUgraph_st>().add(std::make_unique<CUgraph_st>());
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return keep(handles<CUgraph_st>().remove(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters,
                                   cpu_device::SourceLine where)
{
    if (parameters == nullptr)
        return keep(cudaErrorInvalidValue);
    cpu_device::PreparedLaunch launch = cpu_device::prepare_launch(
        parameters->func, parameters->gridDim, parameters->blockDim, parameters->kernelParams,
        parameters->sharedMemBytes, false, where);
    if (launch.status != cudaSuccess)
        return launch.status;
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeKernel,
                    std::move(launch.run));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
                    [=] { cudaMemcpy(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters)
{
    // Elements of more than a byte are not offered: cudaMemset has bytes alone too.
    if (parameters == nullptr || parameters->elementSize != 1)
        return keep(cudaErrorInvalidValue);
    return add_node(
        node, graph, dependencies, count, cudaGraphNodeTypeMemset, [fill = *parameters] {
            const std::size_t pitch = fill.height == 1 ? fill.width : fill.pitch;
            cudaMemset2D(fill.dst, pitch, static_cast<int>(fill.value), fill.width, fill.height);
        });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters)
{
    if (parameters == nullptr || parameters->fn == nullptr)
        return keep(cudaErrorInvalidValue);
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeHost,
                    [call = *parameters] { call.fn(call.userData); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeEmpty, [] {});
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value)
{
    if (node == nullptr || value == nullptr || node->type != cudaGraphNodeTypeKernel)
        return keep(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributeAccessPolicyWindow)
        return cudaSuccess;
    const cudaError_t status = cpu_device::check_access_policy(value->accessPolicyWindow);
    if (status == cudaSuccess)
        node->access_policy = *value;
    return status;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue* value)
{
    if (node == nullptr || value == nullptr || node->type != cudaGraphNodeTypeKernel ||
        attribute != cudaLaunchAttributeAccessPolicyWindow)
        return keep(cudaErrorInvalidValue);
    *value = node->access_policy;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    if (count == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    if (nodes != nullptr)
        for (std::size_t i = 0; i < *count; ++i)
            nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
    *count = nodes == nullptr ? graph->nodes.size() : std::min(*count, graph->nodes.size());
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type)
{
    if (node == nullptr || type == nullptr)
        return keep(cudaErrorInvalidValue);
    *type = node->type;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    if (executable == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    auto created = std::make_unique<CUgraphExec_st>();
    for (const auto& node : graph->nodes)
        created->work.push_back(node->work);
    *executable = handles<CUgraphExec_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*,
                                 char*, std::size_t)
{
    return cudaGraphInstantiate(executable, graph, 0ULL);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t)
{
    return keep(handles<CUgraphExec_st>().contain(executable) ? cudaSuccess
                                                              : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (!handles<CUgraphExec_st>().contain(executable))
        return keep(cudaErrorInvalidValue);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeGraph, [work = executable->work] {
        for (const auto& step : work)
            step();
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return keep(handles<CUgraphExec_st>().remove(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
