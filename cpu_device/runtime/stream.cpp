/// \file
/// Streams, events and graphs. Work runs when it is queued, in the thread that queues it; a stream
/// that is being captured hands it to a graph instead.
#include "core/devices.hpp"
#include "core/immortal.hpp"
#include "core/memory.hpp"
#include "core/recorder.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

using cpu_device::record;
using cpu_device::record_wait;
using cpu_device::set_error;
using cpu_device::store;
using Kind = cpu_device::Operation::Kind;

namespace {

/// Owns objects by address, so that a destroyed or invented handle is an error and not a crash.
template<class T>
class Handles
{
  public:
    T* add(std::unique_ptr<T> object)
    {
        const std::lock_guard lock(mutex_);
        T* const handle = object.get();
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    [[nodiscard]] bool contain(T* handle)
    {
        const std::lock_guard lock(mutex_);
        return objects_.count(handle) != 0;
    }
    /// False if there is no such object.
    bool remove(T* handle)
    {
        const std::lock_guard lock(mutex_);
        return objects_.erase(handle) != 0;
    }

    void for_each(auto action)
    {
        const std::lock_guard lock(mutex_);
        for (auto& [handle, object] : objects_)
            action(*object);
    }

  private:
    std::mutex mutex_;
    std::unordered_map<T*, std::unique_ptr<T>> objects_;
};

/// The handles of one kind.
template<class T>
Handles<T>& handles()
{
    return cpu_device::immortal<Handles<T>>();
}

} // namespace

struct CUgraphNode_st
{
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
};

/// Nodes in the order in which their work was queued.
struct CUgraph_st
{
    std::deque<CUgraphNode_st> nodes; ///< whose addresses are their handles

    /// The node does its work on the device that is current now.
    void add(cudaGraphNodeType type, std::function<void()> work)
    {
        nodes.push_back({type, [device = cpu_device::current_device(), work = std::move(work)] {
                             const cpu_device::OnDevice own(device);
                             work();
                         }});
    }
};

/// A copy of a graph's work: the graph may go away afterwards.
struct CUgraphExec_st
{
    std::deque<CUgraphNode_st> steps;
};

struct CUstream_st
{
    int device = cpu_device::current_device();
    bool independent = false;              ///< does not wait for the legacy default stream
    std::shared_ptr<CUgraph_st> capture{}; ///< what is queued goes here while it is being captured
    bool started_capture = false;          ///< this stream, not one that joined by an event
    cudaAccessPolicyWindow window{};
};

struct CUevent_st
{
    int device = cpu_device::current_device();
    bool timed = true;
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
    if (handle == nullptr)
        return default_streams[static_cast<std::size_t>(cpu_device::current_device())];
    return handles<CUstream_st>().contain(handle) ? handle : nullptr;
}

std::size_t number_of(cudaEvent_t event)
{
    return reinterpret_cast<std::size_t>(event);
}

bool is_event(cudaEvent_t event)
{
    return handles<CUevent_st>().contain(event);
}

/// Notes what a stream does or waits for, unless a graph gets it.
void record_of(cudaStream_t handle, const CUstream_st& stream, cpu_device::Operation operation)
{
    const cpu_device::OnDevice device(stream.device);
    if (!stream.capture)
        record(std::move(operation), handle, stream.independent);
}

/// The host waits for a stream, or asks whether it would have to.
cudaError_t wait_for_stream(cudaStream_t handle, bool query)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return set_error(cudaErrorInvalidResourceHandle);
    if (stream->capture)
        return set_error(cudaErrorStreamCaptureUnsupported);
    const cpu_device::OnDevice device(stream->device);
    record_wait({.kind = Kind::host_waits_for, .query = query}, handle, stream->independent);
    return cudaSuccess;
}

/// The host waits for an event, or asks whether it would have to.
cudaError_t wait_for_event(cudaEvent_t event, bool query)
{
    if (!is_event(event))
        return set_error(cudaErrorInvalidResourceHandle);
    if (event->capture)
        return set_error(cudaErrorCapturedEvent);
    record_wait({.kind = Kind::host_waits, .query = query, .event = number_of(event)});
    return cudaSuccess;
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
        return set_error(cudaErrorInvalidResourceHandle);
    const OnDevice device(stream->device);
    if (stream->capture) {
        stream->capture->add(type, std::move(work));
    } else {
        const QueuedOn queued(handle, stream->independent);
        work();
    }
    return cudaSuccess;
}

bool is_capturing(cudaStream_t handle)
{
    const cudaStream_t stream = find_stream(handle);
    return stream != nullptr && stream->capture != nullptr;
}

} // namespace cpu_device

// --- streams --------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0)
        return set_error(cudaErrorInvalidValue);
    auto created = std::make_unique<CUstream_st>();
    created->independent = (flags & cudaStreamNonBlocking) != 0;
    *stream = handles<CUstream_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return set_error(handles<CUstream_st>().remove(stream) ? cudaSuccess
                                                           : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const cudaError_t status = wait_for_stream(stream, false);
    std::fflush(stdout); // what kernels printed appears here, as on a GPU
    return status != cudaSuccess ? status : cpu_device::after_waiting();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for_stream(stream, true);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr || !is_event(event))
        return set_error(cudaErrorInvalidResourceHandle);
    if (event->capture && stream->capture && stream->capture != event->capture)
        return set_error(cudaErrorStreamCaptureMerge);
    if (event->capture)
        stream->capture = event->capture;
    record_of(handle, *stream, {.kind = Kind::stream_waits, .event = number_of(event)});
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data)
{
    if (function == nullptr)
        return set_error(cudaErrorInvalidValue);
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
        return set_error(cudaErrorInvalidResourceHandle);
    if (value == nullptr || attribute != cudaLaunchAttributeAccessPolicyWindow)
        return set_error(cudaErrorInvalidValue);
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
        return set_error(cudaErrorInvalidResourceHandle);
    return attribute != cudaLaunchAttributeAccessPolicyWindow
               ? set_error(cudaErrorInvalidValue)
               : store(value, {.accessPolicyWindow = stream->window});
}

// --- capture --------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return set_error(cudaErrorInvalidResourceHandle);
    if (handle == nullptr)
        return set_error(cudaErrorStreamCaptureUnsupported);
    if (stream->capture)
        return set_error(cudaErrorIllegalState);
    stream->capture = std::make_shared<CUgraph_st>();
    stream->started_capture = true;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr)
        return set_error(cudaErrorInvalidResourceHandle);
    if (graph == nullptr)
        return set_error(cudaErrorInvalidValue);
    if (!stream->capture)
        return set_error(cudaErrorIllegalState);
    if (!stream->started_capture)
        return set_error(cudaErrorStreamCaptureUnmatched);
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

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    if (event == nullptr || (flags & ~known) != 0)
        return set_error(cudaErrorInvalidValue);
    auto created = std::make_unique<CUevent_st>();
    created->timed = (flags & cudaEventDisableTiming) == 0;
    *event = handles<CUevent_st>().add(std::move(created));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return set_error(handles<CUevent_st>().remove(event) ? cudaSuccess
                                                         : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    const cudaStream_t stream = find_stream(handle);
    if (stream == nullptr || !is_event(event))
        return set_error(cudaErrorInvalidResourceHandle);
    if (event->device != stream->device) {
        std::fprintf(stderr,
                     "An event of device %d was recorded into a stream of device %d: create it "
                     "while device %d is current.\n",
                     event->device, stream->device, stream->device);
        return set_error(cudaErrorInvalidResourceHandle);
    }
    event->capture = stream->capture;
    event->recorded = std::chrono::steady_clock::now();
    record_of(handle, *stream, {.kind = Kind::record_event, .event = number_of(event)});
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return wait_for_event(event, false);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_for_event(event, true);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    if (milliseconds == nullptr)
        return set_error(cudaErrorInvalidValue);
    const auto is_timed = [](cudaEvent_t event) {
        return is_event(event) && event->recorded && event->timed;
    };
    if (!is_timed(start) || !is_timed(stop) || start->device != stop->device)
        return set_error(cudaErrorInvalidResourceHandle);
    record({.kind = Kind::asks_elapsed, .event = number_of(stop), .since = number_of(start)});
    *milliseconds =
        std::chrono::duration<float, std::milli>(*stop->recorded - *start->recorded).count();
    return cudaSuccess;
}

// --- graphs ---------------------------------------------------------------------------------

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return set_error(handles<CUgraph_st>().remove(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value)
{
    if (node == nullptr || value == nullptr || node->type != cudaGraphNodeTypeKernel)
        return set_error(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributeAccessPolicyWindow)
        return cudaSuccess;
    return cpu_device::check_access_policy(value->accessPolicyWindow);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    if (count == nullptr || !handles<CUgraph_st>().contain(graph))
        return set_error(cudaErrorInvalidValue);
    const std::size_t there = graph->nodes.size();
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
        nodes[i] = i < there ? &graph->nodes[i] : nullptr;
    *count = nodes == nullptr ? there : std::min(*count, there);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    if (executable == nullptr || !handles<CUgraph_st>().contain(graph))
        return set_error(cudaErrorInvalidValue);
    *executable = handles<CUgraphExec_st>().add(
        std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->nodes}));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (!handles<CUgraphExec_st>().contain(executable))
        return set_error(cudaErrorInvalidValue);
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
    return set_error(handles<CUgraphExec_st>().remove(executable) ? cudaSuccess
                                                                  : cudaErrorInvalidValue);
}
