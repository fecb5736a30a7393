/// \file
/// Graphs: explicit nodes, instantiation and launch. Capture is in stream.cpp.
#include "runtime/graph.hpp"

#include "core/allocations.hpp"
#include "runtime/access_policy.hpp"
#include "runtime/handles.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <optional>

using cpu_device::handles;
using cpu_device::keep;

namespace {

/// True if all of `count` handles are nodes of the graph.
bool all_are_nodes(cudaGraph_t graph, const cudaGraphNode_t* nodes, std::size_t count)
{
    return std::all_of(nodes, nodes + count, [graph](cudaGraphNode_t wanted) {
        return std::ranges::any_of(graph->nodes,
                                   [wanted](const auto& own) { return own.get() == wanted; });
    });
}

/// Fills `*count` places, those behind the last node with null, and sets it to the nodes written;
/// without places, to how many nodes there are.
cudaError_t list(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* places,
                 std::size_t* count)
{
    if (places != nullptr)
        for (std::size_t i = 0; i < *count; ++i)
            places[i] = i < nodes.size() ? nodes[i] : nullptr;
    *count = places == nullptr ? nodes.size() : std::min(*count, nodes.size());
    return cudaSuccess;
}

/// Adds a node after checking that it has work and its dependencies are nodes of the same graph.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     std::size_t count, cudaGraphNodeType type, std::function<void()> work)
{
    if (!work || node == nullptr || !handles<CUgraph_st>().contain(graph) ||
        (count > 0 && dependencies == nullptr) || !all_are_nodes(graph, dependencies, count))
        return keep(cudaErrorInvalidValue);
    *node = graph->add(type, std::move(work));
    (*node)->dependencies.assign(dependencies, dependencies + count);
    return cudaSuccess;
}

/// What a graph's memset does: elements of 1, 2 or 4 bytes; null for any other.
std::function<void()> memset_of(const cudaMemsetParams* parameters)
{
    if (parameters == nullptr || (parameters->elementSize != 1 && parameters->elementSize != 2 &&
                                  parameters->elementSize != 4))
        return nullptr;
    return [fill = *parameters] {
        const std::size_t row = fill.width * fill.elementSize;
        const std::size_t pitch = fill.height == 1 ? row : fill.pitch;
        if (fill.elementSize == 1 || fill.value == 0) {
            cudaMemset2D(fill.dst, pitch, static_cast<int>(fill.value), row, fill.height);
            return;
        }
        std::vector<std::byte> pattern(row * fill.height);
        for (std::size_t i = 0; i < pattern.size(); ++i)
            pattern[i] = static_cast<std::byte>(fill.value >> 8 * (i % fill.elementSize));
        cudaMemcpy2D(fill.dst, pitch, pattern.data(), row, row, fill.height, cudaMemcpyDefault);
    };
}

std::function<void()> copy_of(const cudaMemcpy3DParms* parameters)
{
    if (parameters == nullptr)
        return nullptr;
    return [copy = *parameters] { cudaMemcpy3D(&copy); };
}

std::function<void()> call_of(const cudaHostNodeParams* parameters)
{
    if (parameters == nullptr || parameters->fn == nullptr)
        return nullptr;
    return [call = *parameters] { call.fn(call.userData); };
}

cpu_device::PreparedLaunch launch_of(const cudaKernelNodeParams* parameters,
                                     cpu_device::SourceLine where)
{
    if (parameters == nullptr)
        return {keep(cudaErrorInvalidValue), nullptr};
    return cpu_device::prepare_launch(parameters->func, parameters->gridDim, parameters->blockDim,
                                      parameters->kernelParams, parameters->sharedMemBytes, false,
                                      where);
}

/// Replaces what the node's step of the executable does.
cudaError_t replace(cudaGraphExec_t executable, cudaGraphNode_t node, std::function<void()> work)
{
    if (!handles<CUgraphExec_st>().contain(executable) || !work)
        return keep(cudaErrorInvalidValue);
    const auto step = std::ranges::find(executable->steps, node, &CUgraphExec_st::Step::node);
    if (step == executable->steps.end())
        return keep(cudaErrorInvalidValue);
    step->work = cpu_device::on_this_device(std::move(work));
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
    cpu_device::PreparedLaunch launch = launch_of(parameters, where);
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
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeMemset,
                    memset_of(parameters));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeHost, call_of(parameters));
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
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph->nodes)
        all.push_back(node.get());
    return list(all, nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type)
{
    return node == nullptr ? keep(cudaErrorInvalidValue) : cpu_device::answer(type, node->type);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    if (executable == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    auto created = std::make_unique<CUgraphExec_st>();
    for (const CUgraphNode_st* node : graph->in_order())
        created->steps.push_back({node, node->type, node->work});
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
    return cpu_device::in_stream(stream, cudaGraphNodeTypeGraph, [steps = executable->steps] {
        // Opened once for all steps, unless the host, which may not use it, does some of them.
        std::optional<cpu_device::DeviceMemoryAccess> access;
        if (std::ranges::none_of(steps, [](const CUgraphExec_st::Step& step) {
                return step.type == cudaGraphNodeTypeHost || step.type == cudaGraphNodeTypeGraph;
            }))
            access.emplace(false); // each step tells what it changes
        for (const auto& step : steps)
            step.work();
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return keep(handles<CUgraphExec_st>().remove(executable) ? cudaSuccess : cudaErrorInvalidValue);
}

// --- more nodes -----------------------------------------------------------------------------

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy, copy_of(parameters));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child)
{
    if (!handles<CUgraph_st>().contain(child))
        return keep(cudaErrorInvalidValue);
    std::vector<std::function<void()>> steps;
    for (const CUgraphNode_st* step : child->in_order())
        steps.push_back(step->work);
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeGraph, [steps] {
        for (const auto& step : steps)
            step();
    });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters)
{
    if (parameters == nullptr || parameters->bytesize == 0)
        return keep(cudaErrorInvalidValue);
    if (const cudaError_t status = cudaMalloc(&parameters->dptr, parameters->bytesize);
        status != cudaSuccess)
        return status;
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeMemAlloc, [] {});
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer)
{
    if (pointer == nullptr)
        return keep(cudaErrorInvalidValue);
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeMemFree, [] {});
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeEventRecord,
                    [event] { cudaEventRecord(event, nullptr); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t)
{
    return add_node(node, graph, dependencies, count, cudaGraphNodeTypeWaitEvent, [] {});
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count)
{
    if (!handles<CUgraph_st>().contain(graph) ||
        (count > 0 && (from == nullptr || to == nullptr)) || !all_are_nodes(graph, from, count) ||
        !all_are_nodes(graph, to, count))
        return keep(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i)
        to[i]->dependencies.push_back(from[i]);
    if (graph->in_order().size() == graph->nodes.size())
        return cudaSuccess;
    for (std::size_t i = 0; i < count; ++i)
        to[i]->dependencies.pop_back();
    return keep(cudaErrorInvalidValue); // a circle
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    bool found = false;
    handles<CUgraph_st>().for_each([&](CUgraph_st& graph) {
        found = found ||
                std::erase_if(graph.nodes, [&](const auto& own) { return own.get() == node; }) != 0;
        for (const auto& other : graph.nodes)
            std::erase(other->dependencies, node);
    });
    return keep(found ? cudaSuccess : cudaErrorInvalidValue);
}

// --- graphs as values -----------------------------------------------------------------------

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph)
{
    if (clone == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    auto copy = std::make_unique<CUgraph_st>();
    for (const CUgraphNode_st* node : graph->in_order()) {
        CUgraphNode_st* const own =
            copy->add(node->type, node->work); // which sets its device itself
        own->access_policy = node->access_policy;
        own->original = node;
        for (const CUgraphNode_st* dependency : node->dependencies)
            own->dependencies.push_back(
                std::ranges::find(copy->nodes, dependency, [](const auto& other) {
                    return other->original;
                })->get());
    }
    *clone = handles<CUgraph_st>().add(std::move(copy));
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node,
                                     cudaGraph_t clone)
{
    if (found == nullptr || !handles<CUgraph_st>().contain(clone))
        return keep(cudaErrorInvalidValue);
    const auto own =
        std::ranges::find(clone->nodes, node, [](const auto& other) { return other->original; });
    if (own == clone->nodes.end())
        return keep(cudaErrorInvalidValue);
    *found = own->get();
    return cudaSuccess;
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    if (count == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph->nodes)
        if (node->dependencies.empty())
            roots.push_back(node.get());
    return list(roots, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count)
{
    if (count == nullptr || !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> begins;
    std::vector<cudaGraphNode_t> ends;
    for (const auto& node : graph->nodes)
        for (const cudaGraphNode_t dependency : node->dependencies) {
            begins.push_back(dependency);
            ends.push_back(node.get());
        }
    std::size_t places = *count;
    static_cast<void>(list(begins, from, &places));
    return list(ends, to, count);
}

// --- changes of parameters ------------------------------------------------------------------

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters,
                                         cpu_device::SourceLine where)
{
    if (node == nullptr || node->type != cudaGraphNodeTypeKernel)
        return keep(cudaErrorInvalidValue);
    cpu_device::PreparedLaunch launch = launch_of(parameters, where);
    if (launch.status == cudaSuccess)
        node->work = cpu_device::on_this_device(std::move(launch.run));
    return launch.status;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters,
                                             cpu_device::SourceLine where)
{
    cpu_device::PreparedLaunch launch = launch_of(parameters, where);
    return launch.status == cudaSuccess ? replace(executable, node, std::move(launch.run))
                                        : launch.status;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters)
{
    return replace(executable, node, copy_of(parameters));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind)
{
    return replace(executable, node, [=] { cudaMemcpy(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters)
{
    return replace(executable, node, memset_of(parameters));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters)
{
    return replace(executable, node, call_of(parameters));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result)
{
    if (result == nullptr || !handles<CUgraphExec_st>().contain(executable) ||
        !handles<CUgraph_st>().contain(graph))
        return keep(cudaErrorInvalidValue);
    *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    const std::vector<CUgraphNode_st*> nodes = graph->in_order();
    if (nodes.size() != executable->steps.size())
        result->result = cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t i = 0; i < nodes.size() && result->result == cudaGraphExecUpdateSuccess; ++i)
        if (nodes[i]->type != executable->steps[i].type)
            *result = {cudaGraphExecUpdateErrorNodeTypeChanged, nodes[i], nullptr};
    if (result->result != cudaGraphExecUpdateSuccess)
        return keep(cudaErrorGraphExecUpdateFailure);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        executable->steps[i].work = nodes[i]->work;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result)
{
    cudaGraphExecUpdateResultInfo information{};
    const cudaError_t status = cudaGraphExecUpdate(executable, graph, &information);
    if (error_node != nullptr)
        *error_node = information.errorNode;
    if (result != nullptr)
        *result = information.result;
    return status;
}
