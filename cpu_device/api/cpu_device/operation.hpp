/// \file
/// What a program asks of the runtime API, in order: recorded for a model of when it would run.
#pragma once

#include "cpu_device/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cpu_device {

/// One call of the runtime API, or one piece of work of the host, in the order of the program.
struct Operation
{
    /// What it is, and which of the fields below say more.
    enum class Kind
    {
        copy_in,        ///< host to device: stream, bytes, pages
        copy_out,       ///< device to host: stream, bytes, pages
        copy_peer,      ///< device to device: stream, bytes, from, to, through_host
        device_work,    ///< a kernel, a fill, a copy within the device: stream, bytes, link bytes
        host_work,      ///< the host reads or writes memory: bytes, host_rate
        record_event,   ///< event := what stream has been given so far
        stream_waits,   ///< stream goes on after event
        host_waits,     ///< the host goes on after event
        host_waits_for, ///< the host goes on when stream has done everything
        host_waits_all, ///< the host goes on when every stream of the device has done everything
        asks_elapsed    ///< the host requests the time from event since to event
    };
    /// What kind of pages the host's side of a copy has.
    enum class Pages
    {
        pageable, ///< the host copies them to a buffer of the driver's, and waits
        pinned,   ///< page-locked, by allocation or registration: the engine reads them itself
        faulting  ///< of managed memory, one fault after another
    };
    /// How fast the host gets on with its bytes.
    enum class HostRate
    {
        cached,         ///< reads or writes ordinary memory
        write_combined, ///< reads past the caches
        page_locking,   ///< cudaHostRegister
        page_unlocking  ///< cudaHostUnregister
    };

    Kind kind = Kind::host_waits_all; ///< what it is
    unsigned stream = 0;              ///< 0 is the legacy default stream of the device
    int device = 0;                   ///< of the stream
    bool independent = false; ///< cudaStreamNonBlocking: does not wait for the default stream
    std::uint64_t bytes = 0;  ///< across the link; in device memory; of the host's work
    std::uint64_t link_in_bytes = 0;  ///< that a kernel reads from host memory
    std::uint64_t link_out_bytes = 0; ///< that a kernel writes to host memory
    /// That a kernel reads from the memory of other devices, by device; atomics read and write.
    std::array<std::uint64_t, max_devices> peer_in_bytes{};
    std::array<std::uint64_t, max_devices> peer_out_bytes{}; ///< and that it writes there
    int from = 0;                          ///< of a copy between devices: whose memory it reads
    int to = 0;                            ///< and whose it writes
    bool through_host = false;             ///< because neither has access to the other
    Pages pages = Pages::pinned;           ///< of a copy's host side
    HostRate host_rate = HostRate::cached; ///< of the host's work
    bool query = false;                    ///< of a wait: the host only asked whether it is over
    std::size_t event = 0;                 ///< any number that tells events apart
    std::size_t since = 0;                 ///< likewise
    std::string label = {};                ///< of its bar: the kernel's name
    std::string launched_at = {};          ///< of a kernel: "mine.cu:12"
    std::vector<std::uintptr_t> callers{}; ///< the innermost first, where they were requested

    /// Tells streams apart: each device has a default stream.
    [[nodiscard]] std::pair<int, unsigned> queue() const
    {
        return {stream == 0 ? device : 0, stream};
    }
    /// Bytes that it moves from one device to another, by a copy or by a kernel's accesses.
    [[nodiscard]] std::uint64_t bytes_between_devices() const
    {
        std::uint64_t sum = kind == Kind::copy_peer ? bytes : 0;
        for (std::size_t i = 0; i < peer_in_bytes.size(); ++i)
            sum += peer_in_bytes[i] + peer_out_bytes[i];
        return sum;
    }
};

/// Forgets what was recorded and begins. Nothing is kept before; with `most`, only the first so
/// many operations are, with their callers.
void begin_recording(std::optional<std::size_t> most = {});
/// "mine.cu:12", the line of the program's that requested it; empty where nobody knows. Takes some
/// tens of milliseconds.
[[nodiscard]] std::string line_of(const Operation& operation);
/// Ends, and returns what was recorded.
[[nodiscard]] std::vector<Operation> end_recording();
/// The host works on `bytes` at `address`. Managed memory that is with the device comes back first,
/// by page faults. Where it is gets noted also while nothing is recorded.
void record_host_work(const char* label, const void* address, std::size_t bytes,
                      Operation::HostRate rate, bool writes = false);

} // namespace cpu_device
