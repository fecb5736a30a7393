/// \file
/// A modelled timeline: when the engines of a GPU would be busy with the work that a program
/// queued. The CPU device has no link and does not time; this is arithmetic on a GPU's published
/// or measured rates, and whatever shows it says "modelled".
#pragma once

#include "common/model/card.hpp"

#include <cpu_device/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace common {

using cpu_device::Operation;

/// What can be busy.
enum class Engine
{
    copy_in,  ///< the link from the host to the device
    compute,  ///< the SMs and the device's memory
    copy_out, ///< the link back
    peer,     ///< the link from the device to other devices
    host      ///< the thread that calls
};
/// "H2D", "compute" and so on.
[[nodiscard]] constexpr const char* name(Engine engine)
{
    constexpr const char* names[] = {"H2D", "compute", "D2H", "peer", "host"};
    return names[static_cast<std::size_t>(engine)];
}

/// One bar of a timeline.
struct Bar
{
    Engine engine = Engine::compute; ///< that is busy
    unsigned stream = 0;             ///< 0 is the default stream; of the host's work too
    double start_ms = 0;             ///< since the first call
    double end_ms = 0;               ///< likewise
    std::uint64_t bytes = 0;         ///< moved
    std::string label;               ///< the kernel's name, "copy", ...
    /// Whose engine it is; empty where only one device does anything, and of the host's work.
    std::optional<int> device = {};
};

/// When what was queued would run.
struct Timeline
{
    std::vector<Bar> bars; ///< in the order of the program
    double host_ms = 0;    ///< from the first call until the last one returns
    double device_ms = 0;  ///< from the start of the first bar of an engine to the last end
};

/// When `operations` would run on `card`. The rules, each a simplification:
///
/// - Each device has one copy engine a direction (one for both where the GPU has one), and one
///   compute engine: kernels that run together share the memory's bandwidth, so that one after the
///   other they take as long. Copies and kernels do not slow each other.
/// - An operation is ready when the host has queued it and its stream is through with the one
///   before; the legacy default stream waits for all others that are not independent, and they for
///   it. It starts, after its latency, in the first gap of its engine that is long enough.
/// - A copy takes its bytes over the rate of the link, or of the host's copying where its pages are
///   pageable: then the host is busy until it is done.
/// - A kernel takes the longest of its bytes in device memory over the memory's bandwidth, those it
///   moves across the link to the host over that link's, and those that it reads from and writes to
///   other devices over the rates of such accesses.
/// - Between devices there is a way out of and a way into each, which carry packets with headers. A
///   copy takes the one of its source and the other of its destination, a kernel those that it
///   reads or writes through; what is queued later takes the gaps that are left. A
///   copy without peer access goes through the host: it takes the copy engine out of the source and
///   the one into the destination, and all such copies share what the host can do.
/// - A call of the runtime API takes the host card.call_us; a wait that had to wait, card.wait_us.
[[nodiscard]] Timeline model(const std::vector<Operation>& operations, const Card& card);

/// True if something of it goes between host and device, or between two devices.
[[nodiscard]] bool crosses_link(const std::vector<Operation>& operations);

} // namespace common
