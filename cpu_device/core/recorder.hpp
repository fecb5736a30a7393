/// \file
/// What a program asks of the runtime API, in order, for the modelled timeline. Nothing is kept
/// unless somebody has begun to record.
#pragma once

#include "core/devices.hpp"
#include "core/managed.hpp"
#include "core/memory.hpp"
#include "cpu_device/operation.hpp"

#include <cstddef>
#include <vector>

namespace cpu_device {

struct LaunchRecord;
struct LaunchConfiguration;

/// While one lives, what the calling thread runs was queued on a stream. An outer one counts: the
/// nodes of a graph run in the stream of its launch, and hold up nobody.
class QueuedOn
{
  public:
    /// `stream` is any address that stands for it, null for the legacy default stream.
    QueuedOn(const void* stream, bool independent);
    ~QueuedOn();
    QueuedOn& operator=(QueuedOn&&) = delete;

  private:
    bool outer_;
};

/// Notes what the host does, or has queued on a stream: `stream` and `independent` as in QueuedOn.
void record(Operation operation, const void* stream = nullptr, bool independent = false);
/// The same of a wait: what was unfinished is done.
void record_wait(Operation wait, const void* stream = nullptr, bool independent = false);
/// Notes work that runs now, on the stream that it was queued on.
void record_queued(Operation work);
/// A copy that runs; `host` is an address of its host side, whose pages tell how fast it is.
void record_copy(cudaMemcpyKind kind, const void* host, std::size_t bytes);
/// A kernel that has run. What it touched of page-locked host memory crosses the link to the host,
/// and `peers` to other devices. Pages of managed memory that are with the host come to the device
/// first, by page faults: all from the first that it touched of an allocation to the last. The
/// bytes of both go to the record.
void record_launch(const LaunchConfiguration& launch, LaunchRecord& record,
                   const std::vector<Touched>& touched, const PeerSectors& host,
                   const PeerTraffic& peers);

/// Before a kernel runs, or managed memory moves: pages of it that exist and that no kernel has
/// used are the host's, where whoever reads a report wants to know.
void note_touches_of_host();
/// A copy or a fill writes there, which is the device's work where that is managed memory.
void note_use_of_device(const void* begin, std::size_t bytes);

/// `bytes` of managed memory at `address` move to a device, or to the host (-1), as one copy, but
/// for the pages that are there.
void record_prefetch(const void* address, std::size_t bytes, int device);

} // namespace cpu_device
