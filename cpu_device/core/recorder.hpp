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

struct Counts;
struct LaunchConfiguration;
struct LaunchRecord;

/// While one lives, what the calling thread runs was queued on a stream. An outer one counts: the
/// nodes of a graph run in the stream of its launch, and hold up nobody.
class QueuedOn
{
  public:
    /// `stream` is any address that stands for it, null for the legacy default stream.
    QueuedOn(const void* stream, bool independent);
    ~QueuedOn();
    QueuedOn(const QueuedOn&) = delete;
    QueuedOn& operator=(const QueuedOn&) = delete;

  private:
    bool outer_;
};

/// Where the two sides of a copy are.
enum class Direction
{
    host_to_host,
    host_to_device,
    device_to_host,
    device_to_device
};

/// A copy that runs; `host` is an address of its host side, whose pages tell how fast it is.
void record_copy(Direction direction, const void* host, std::size_t bytes);
/// A copy that runs from the memory of one device to that of another.
void record_peer_copy(int from, int to, std::size_t bytes);
/// A fill that runs, of device memory.
void record_fill(std::size_t bytes);
/// A kernel that has run. What it touched of page-locked host memory crosses the link to the host,
/// and `peers` to other devices. Pages of
/// managed memory that are with the host come to the device first, by page faults: all from the
/// first that it touched of an allocation to the last.
/// Returns the bytes of both.
PageTraffic record_launch(const LaunchConfiguration& launch, const Counts& counts,
                          const std::vector<Touched>& touched, const PeerTraffic& peers);

/// A kernel that has run uncounted, as the counted launch did.
void record_repeat(const LaunchConfiguration& launch, const LaunchRecord& counted);
/// Before a kernel runs, or managed memory moves: pages of it that exist and that no kernel has
/// used are the host's, where whoever reads a report wants to know.
void note_touches_of_host();
/// A copy or a fill writes there, which is the device's work where that is managed memory.
void note_use_of_device(const void* begin, std::size_t bytes);

/// The host waits for the stream, or for all of them.
void record_wait(const void* stream, bool independent, bool query = false);
void record_wait_for_all();
/// `event` is any address that stands for it.
void record_event(const void* event, const void* stream, bool independent);
void record_stream_wait(const void* event, const void* stream, bool independent);
void record_event_wait(const void* event, bool query = false);
/// The host requests the time between two events.
void record_elapsed(const void* since, const void* event);

/// The host locks the pages of `bytes` of its memory, or unlocks them.
void record_page_locking(std::size_t bytes, bool lock);
/// `bytes` of managed memory at `address` move to a device, or to the host (-1), as one copy, but
/// for the pages that are there.
void record_prefetch(const void* address, std::size_t bytes, int device);

} // namespace cpu_device
