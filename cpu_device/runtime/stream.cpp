/// \file
/// Streams, events and graphs. Work runs when it is queued, in the thread that queues it; a stream
/// that is being captured hands it to a graph instead.
#include "core/devices.hpp"
#include "core/memory.hpp"
#include "core/recorder.hpp"
#include "core/unfinished.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "runtime/handles.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using cpu_device::answer;
using cpu_device::handles;
using cpu_device::keep;
using cpu_device::record;
using cpu_device::record_wait;
using Kind = cpu_device::Operation::Kind;

struct CUgraphNode_st
{
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
};

/// Nodes in the order in which their work was queued.
struct CUgraph_st
{
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

    /// The node does its work on the device that is current now.
    void add(cudaGraphNodeType type, std::function<void()> work)
    {
        nodes.push_back(std::make_unique<CUgraphNode_st>(
            CUgraphNode_st{type, [device = cpu_device::current_device(), work = std::move(work)] {
                               const cpu_device::OnDevice own(device);
                               work();
                           }}));
    }
};

/// A copy of a graph's work: the graph may go away afterwards.
struct CUgraphExec_st
{
    std::vector<CUgraphNode_st> steps;
};

struct CUstream_st
{
    int device = cpu_device::current_device();
    unsigned flags = cudaStreamDefault;
    std::shared_ptr<CUgraph_st> capture{}; ///< what is queued goes here while it is being captured
    bool started_capture = false;          ///< this stream, not one that joined by an event
    cudaAccessPolicyWindow window{};
};

struct CUevent_st
{
    int device = cpu_device::current_device();
    unsigned flags = cudaEventDefault;
    std::optional<std::chrono::steady_clock::time_point> recorded;
    std::shared_ptr<CUgraph_st> capture; ///< of the stream that recorded it
};

namespace {

/// The stream of a handle, the default streams of the current device included; null if there is
/// none.
cudaStream_t find_stream(cudaStream_t handle)
{
    static auto& default_streams = *new const auto([] {
        std::array<CUstream_st*, cpu_device::max_devices> streams{};
        for (int device = 0; device < cpu_device::max_devices; ++device)
            streams[static_cast<std::size_t>(device)] = new CUstream_st{.device = device};
        return streams;
    }());
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return default_streams[static_cast<std::size_t>(cpu_device::current_device())];
    return handles<CUstream_st>().contain(handle) ? handle : nullptr;
}

/// What a timeline calls it: null for the legacy default streams.
cudaStream_t recorded(cudaStream_t handle)
{
    return handle == cudaStreamLegacy ? nullptr : handle;
}

std::size_t number_of(cudaEvent_t event)
{
    return reinterpret_cast<std::size_t>(event);
}

/// True for a stream that does not wait for the legacy default stream.
bool independent(const CUstream_st& stream)
{
    return (stream.flags & cudaStreamNonBlocking) != 0;
}

cudaError_t check_stream(cudaStream_t handle)
{
    return keep(find_stream(handle) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}

cudaError_t check_event(cudaEvent_t event)
{
    return keep(handles<CUevent_st>().contain(event) ? cudaSuccess
                                                     : cudaErrorInvalidResourceHandle);
}

} // namespace

namespace cpu_device {

bool is_device(int device)
{
    return device >= 0 && device < device_count();
}

std::optional<int> device_of(cudaStream_t handle)
{
    const cudaStream_t stream = find_stream(handle);
    return stream == nullptr ? std::nullopt : std::optional(stream->device);
}

cudaError_t in_stream(cudaStream_t handle, cudaGraphNodeType type, std::function<void()> work)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    const OnDevice device(stream->device);
    if (stream->capture) {
        stream->capture->add(type, std::move(work));
    } else {
        const QueuedOn queued(recorded(handle), independent(*stream));
        work();
    }
    return cudaSuccess;
}

void run_in_stream(cudaStream_t stream, std::function<void()> launch)
{
    in_stream(stream, cudaGraphNodeTypeKernel, std::move(launch));
}

bool is_capturing(cudaStream_t handle)
{
    const cudaStream_t stream = find_stream(handle);
    return stream != nullptr && stream->capture != nullptr;
}

} // namespace cpu_device

// --- streams --------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0)
        return keep(cudaErrorInvalidValue);
    auto created = std::make_unique<CUstream_st>();
    created->flags = flags;
    *stream = handles<CUstream_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return keep(handles<CUstream_st>().remove(stream) ? cudaSuccess
                                                      : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (const cudaError_t status = check_stream(stream); status != cudaSuccess)
        return status;
    if (cpu_device::is_capturing(stream))
        return keep(cudaErrorStreamCaptureUnsupported);
    const CUstream_st& waited_for = *find_stream(stream);
    const cpu_device::OnDevice device(waited_for.device);
    record_wait({.kind = Kind::host_waits_for}, recorded(stream), independent(waited_for));
    std::fflush(stdout); // what kernels printed appears here, as on a GPU
    return cpu_device::after_waiting();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (cpu_device::is_capturing(stream))
        return keep(cudaErrorStreamCaptureUnsupported);
    if (const cudaError_t status = check_stream(stream); status != cudaSuccess)
        return status;
    record_wait({.kind = Kind::host_waits_for, .query = true}, recorded(stream),
                independent(*find_stream(stream)));
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    if (const cudaError_t status = check_event(event); status != cudaSuccess)
        return status;
    if (event->capture) {
        if (stream->capture && stream->capture != event->capture)
            return keep(cudaErrorStreamCaptureMerge);
        stream->capture = event->capture;
    } else if (!stream->capture) {
        const cpu_device::OnDevice device(stream->device);
        record({.kind = Kind::stream_waits, .event = number_of(event)}, recorded(handle),
               independent(*stream));
    }
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags)
{
    const cudaStream_t stream = find_stream(handle);
    return stream == nullptr ? keep(cudaErrorInvalidResourceHandle) : answer(flags, stream->flags);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data)
{
    if (function == nullptr)
        return keep(cudaErrorInvalidValue);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeHost, [=] {
        cpu_device::forget_unfinished(); // it runs behind what was queued before
        function(user_data);
    });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    if (value == nullptr || attribute != cudaLaunchAttributeAccessPolicyWindow)
        return keep(cudaErrorInvalidValue);
    const cudaError_t status = cpu_device::check_access_policy(value->accessPolicyWindow);
    if (status == cudaSuccess)
        stream->window = value->accessPolicyWindow;
    return status;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    return attribute != cudaLaunchAttributeAccessPolicyWindow
               ? keep(cudaErrorInvalidValue)
               : answer(value, {.accessPolicyWindow = stream->window});
}

// --- capture --------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    if (handle == nullptr || handle == cudaStreamLegacy)
        return keep(cudaErrorStreamCaptureUnsupported);
    if (stream->capture)
        return keep(cudaErrorIllegalState);
    stream->capture = std::make_shared<CUgraph_st>();
    stream->started_capture = true;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    if (graph == nullptr)
        return keep(cudaErrorInvalidValue);
    if (!stream->capture)
        return keep(cudaErrorIllegalState);
    if (!stream->started_capture)
        return keep(cudaErrorStreamCaptureUnmatched);
    const std::shared_ptr<CUgraph_st> captured = stream->capture;
    handles<CUstream_st>().for_each([&](CUstream_st& other) {
        if (other.capture == captured)
            other.capture.reset();
    });
    stream->capture.reset();
    stream->started_capture = false;
    *graph = handles<CUgraph_st>().add(std::make_unique<CUgraph_st>(std::move(*captured)));
    return cudaSuccess;
}

// --- events ---------------------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    if (event == nullptr || (flags & ~known) != 0)
        return keep(cudaErrorInvalidValue);
    auto created = std::make_unique<CUevent_st>();
    created->flags = flags;
    *event = handles<CUevent_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return keep(handles<CUevent_st>().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return keep(cudaErrorInvalidResourceHandle);
    if (const cudaError_t status = check_event(event); status != cudaSuccess)
        return status;
    if (event->device != stream->device) {
        std::fprintf(stderr,
                     "An event of device %d was recorded into a stream of device %d: create it "
                     "while device %d is current.\n",
                     event->device, stream->device, stream->device);
        return keep(cudaErrorInvalidResourceHandle);
    }
    event->capture = stream->capture;
    event->recorded = std::chrono::steady_clock::now();
    const cpu_device::OnDevice device(stream->device);
    if (!stream->capture)
        record({.kind = Kind::record_event, .event = number_of(event)}, recorded(handle),
               independent(*stream));
    return cudaSuccess;
}

namespace {

/// What the host may wait for.
cudaError_t check_awaited(cudaEvent_t event)
{
    if (const cudaError_t status = check_event(event); status != cudaSuccess)
        return status;
    return event->capture ? keep(cudaErrorCapturedEvent) : cudaSuccess;
}

} // namespace

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const cudaError_t status = check_awaited(event);
    if (status == cudaSuccess)
        record_wait({.kind = Kind::host_waits, .event = number_of(event)});
    return status;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const cudaError_t status = check_awaited(event);
    if (status == cudaSuccess)
        record_wait({.kind = Kind::host_waits, .query = true, .event = number_of(event)});
    return status;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    if (milliseconds == nullptr)
        return keep(cudaErrorInvalidValue);
    for (const cudaEvent_t event : {start, stop}) {
        if (const cudaError_t status = check_event(event); status != cudaSuccess)
            return status;
        if (!event->recorded || (event->flags & cudaEventDisableTiming) != 0)
            return keep(cudaErrorInvalidResourceHandle);
    }
    if (start->device != stop->device)
        return keep(cudaErrorInvalidResourceHandle);
    record({.kind = Kind::asks_elapsed, .event = number_of(stop), .since = number_of(start)});
    *milliseconds =
        std::chrono::duration<float, std::milli>(*stop->recorded - *start->recorded).count();
    return cudaSuccess;
}

// --- graphs ---------------------------------------------------------------------------------

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
