#include "core/recorder.hpp"

#include "core/arena.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/memory.hpp"
#include "cpu_device/counts.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace cpu_device {

namespace {

using Kind = Operation::Kind;

thread_local const void* current_stream = nullptr;
thread_local bool current_independent = false;
thread_local bool queued = false;

/// The allocation that holds `address`, or one of kind device and no bytes.
Allocation allocation_of(const void* address)
{
    return find_allocation(address).value_or(Allocation());
}

/// One for the process: a program may launch from several threads.
struct Recording
{
    std::mutex mutex;
    bool on = false;
    std::optional<std::size_t> most;
    std::vector<Operation> operations;
    /// Numbers from 1 on, in the order in which streams are used; 0 is the default stream of each
    /// device.
    std::map<const void*, unsigned> streams;
};

Operation copy_operation(bool to_device, std::size_t bytes, Operation::Pages pages,
                         std::string label)
{
    return {.kind = to_device ? Kind::copy_in : Kind::copy_out,
            .bytes = bytes,
            .pages = pages,
            .label = std::move(label)};
}

} // namespace

void begin_recording(std::optional<std::size_t> most)
{
    auto& recording = immortal<Recording>();
    const std::lock_guard lock(recording.mutex);
    recording.operations.clear();
    recording.streams.clear();
    recording.on = true;
    recording.most = most;
}

std::string line_of(const Operation& operation)
{
    return operation.launched_at.empty() ? host::source_line(operation.callers)
                                         : operation.launched_at;
}

std::vector<Operation> end_recording()
{
    auto& recording = immortal<Recording>();
    const std::lock_guard lock(recording.mutex);
    recording.on = false;
    return std::move(recording.operations);
}

QueuedOn::QueuedOn(const void* stream, bool independent) : outer_(!queued)
{
    if (!outer_)
        return;
    queued = true;
    current_stream = stream;
    current_independent = independent;
}

QueuedOn::~QueuedOn()
{
    if (outer_)
        queued = false;
}

void record(Operation operation, const void* stream, bool independent)
{
    auto& [mutex, on, most, operations, streams] = immortal<Recording>();
    const std::lock_guard lock(mutex);
    if (!on || operations.size() >= most.value_or(SIZE_MAX))
        return;
    if (most)
        operation.callers = host::callers();
    if (stream != nullptr)
        operation.stream =
            streams.emplace(stream, static_cast<unsigned>(streams.size()) + 1).first->second;
    operation.device = current_device();
    operation.independent = independent;
    operations.push_back(std::move(operation));
}

void record_wait(Operation wait, const void* stream, bool independent)
{
    forget_unfinished();
    if (!queued)
        record(std::move(wait), stream, independent);
}

void record_queued(Operation work)
{
    record(std::move(work), current_stream, current_independent);
}

void record_copy(cudaMemcpyKind kind, const void* host, std::size_t bytes)
{
    if (kind == cudaMemcpyHostToHost)
        return record_host_work("copy", host, 2 * bytes, Operation::HostRate::cached, false);
    if (kind == cudaMemcpyDeviceToDevice)
        return record_queued({.kind = Kind::device_work, .bytes = 2 * bytes, .label = "copy"});
    const bool pageable = allocation_of(host).bytes == 0;
    record_queued(copy_operation(kind == cudaMemcpyHostToDevice, bytes,
                                 pageable ? Operation::Pages::pageable : Operation::Pages::pinned,
                                 "copy"));
}

void record_launch(const LaunchConfiguration& launch, LaunchRecord& record,
                   const std::vector<Touched>& touched, const PeerSectors& host,
                   const PeerTraffic& peers)
{
    std::uint64_t link_bytes = 0;
    std::uint64_t of_others = 0; // in the memory of other devices
    for (const auto& [allocation, span, written] : touched) {
        const std::uint64_t bytes = span.sectors * Counts::sector_bytes;
        record.reached.emplace_back(span.end - allocation.begin,
                                    allocation.kind == cudaMemoryTypeDevice ? allocation.bytes : 0);
        if (allocation.kind == cudaMemoryTypeHost)
            link_bytes += bytes;
        if (allocation.kind == cudaMemoryTypeDevice && allocation.device != current_device())
            of_others += bytes;
        if (allocation.kind != cudaMemoryTypeManaged)
            continue;
        const PageTraffic traffic = immortal<ManagedPages>().touch_by_device(
            reinterpret_cast<const void*>(span.begin), span.end - span.begin);
        link_bytes += std::min(bytes, traffic.linked);
        record.faulted_bytes += traffic.migrated;
        if (traffic.migrated > 0)
            record_queued(
                copy_operation(true, traffic.migrated, Operation::Pages::faulting, "page faults"));
    }
    // Which sectors of host memory were read and which were written is not kept; all requests are.
    const auto loads = static_cast<double>(host.load + host.atomic);
    const auto stores = static_cast<double>(host.store + host.atomic);
    if (loads + stores > 0) {
        record.link_in_bytes = static_cast<std::uint64_t>(
            static_cast<double>(link_bytes) * loads / (loads + stores) + 0.5);
        record.link_out_bytes = link_bytes - record.link_in_bytes;
    }
    Operation work{.kind = Kind::device_work,
                   .bytes = record.counts.distinct_sectors * Counts::sector_bytes - link_bytes -
                            of_others,
                   .link_in_bytes = record.link_in_bytes,
                   .link_out_bytes = record.link_out_bytes,
                   .label = launch.kernel,
                   .launched_at = to_string(SourceLine{launch.file, launch.line})};
    for (std::size_t i = 0; i < peers.size(); ++i) {
        work.peer_in_bytes[i] = (peers[i].load + peers[i].atomic) * Counts::sector_bytes;
        work.peer_out_bytes[i] = (peers[i].store + peers[i].atomic) * Counts::sector_bytes;
    }
    record_queued(std::move(work));
}

void note_touches_of_host()
{
    if (!settings().watchful)
        return;
    for (const Region& region : arena().live(cudaMemoryTypeManaged)) {
        const std::vector<unsigned char> resident =
            host::resident(reinterpret_cast<void*>(region.begin), region.bytes);
        const std::size_t page = host::page_bytes();
        for (std::size_t first = 0, last = 0; first < resident.size(); first = last) {
            for (last = first + 1; last < resident.size() && resident[last] == resident[first];)
                ++last;
            if ((resident[first] & 1) != 0)
                immortal<ManagedPages>().find_used(
                    reinterpret_cast<void*>(region.begin + first * page), (last - first) * page);
        }
    }
}

void note_use_of_device(const void* begin, std::size_t bytes)
{
    if (!settings().watchful || allocation_of(begin).kind != cudaMemoryTypeManaged)
        return;
    note_touches_of_host();
    immortal<ManagedPages>().touch_by_device(begin, bytes);
}

void record_host_work(const char* label, const void* address, std::size_t bytes,
                      Operation::HostRate rate, bool writes)
{
    PageTraffic traffic;
    if (allocation_of(address).kind == cudaMemoryTypeManaged)
        traffic = immortal<ManagedPages>().touch_by_host(address, bytes, writes);
    if (traffic.migrated > 0) {
        // A fault holds up the host as a wait does.
        record(copy_operation(false, traffic.migrated, Operation::Pages::faulting, "page faults"));
        record({.kind = Kind::host_waits_for});
    }
    record({.kind = Kind::host_work, .bytes = bytes, .host_rate = rate, .label = label});
}

void record_prefetch(const void* address, std::size_t bytes, int device)
{
    note_touches_of_host();
    const std::uint64_t moved = immortal<ManagedPages>().prefetch(address, bytes, device);
    if (moved > 0)
        record_queued(copy_operation(device >= 0, moved, Operation::Pages::pinned, "prefetch"));
}

} // namespace cpu_device
