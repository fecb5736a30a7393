/// \file
/// A modelled timeline: when the engines of a GPU would be busy with the work that a program
/// queued. The CPU device has no link and does not time; this is arithmetic on a GPU's published
/// or measured rates, and whatever shows it says "modelled".
#pragma once

#include "common/model/card.hpp"
#include "common/model/time_model.hpp"

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
/// - Between devices there is a way out of and a way into each, which carry packets with headers
///   (link.hpp). A copy takes the one of its source and the other of its destination, a kernel
///   those that it reads or writes through; what is queued later fills the gaps and takes the
///   longer. A copy without peer access goes through the host: it takes the copy engine out of the
///   source and the one into the destination, and all such copies share what the host can do.
/// - A call of the runtime API takes the host card.call_us; a wait that had to wait, card.wait_us.
[[nodiscard]] Timeline model(const std::vector<Operation>& operations, const Card& card);

/// True if something of it goes between host and device, or between two devices.
[[nodiscard]] bool crosses_link(const std::vector<Operation>& operations);

/// The same operations, of `factor` times as many bytes.
[[nodiscard]] std::vector<Operation> scaled(std::vector<Operation> operations, double factor);

/// A timeline as a row of the results holds it.
struct Modelled
{
    /// The same row with another number of elements: all bytes scaled.
    struct At
    {
        std::uint64_t n = 0;        ///< elements
        double ms = 0;              ///< as below
        std::vector<Bar> bars = {}; ///< at drawn_elements alone
    };

    std::string card; ///< Card::name
    double ms = 0;    ///< of the device for a kernel, of the host for a transfer
    // Of kernels alone, from the time model; empty where the link decides:
    std::optional<std::uint64_t> n = {};      ///< elements, those of the reference results
    std::optional<double> gb_per_s = {};      ///< Row::bytes at that size over the time
    std::optional<double> share_of_peak = {}; ///< of the GPU's memory, 0 to 1
    std::string limited_by = {};              ///< Bound::name, of the kernel that takes longest
    std::vector<Bound> bounds = {};           ///< likewise, the least time that each makes
    std::optional<Traffic> traffic = {};      ///< of all of them
    std::vector<Demand> demands = {};         ///< of each of them: the time follows from these
    // Of what crosses the link:
    std::vector<Bar> bars;    ///< at most max_bars
    std::size_t left_out = 0; ///< bars that were one too many
    std::vector<At> at = {};  ///< 2^8, 2^10, ..., 2^30 elements

    /// Bars that a results file holds of one timeline.
    static constexpr std::size_t max_bars = 256;
    /// The usual size of the reference results, for which the book draws timelines.
    static constexpr std::uint64_t drawn_elements = std::uint64_t{1} << 28U;
};

/// The timeline of a row of `n` elements; `whole` is true where the host's time counts, false where
/// only the device's does.
[[nodiscard]] Modelled model_row(const std::vector<Operation>& operations, const Card& card,
                                 std::uint64_t n, bool whole);

/// The bars as text, at most `width` columns wide, a line for each engine that does something:
///
///     H2D      111122223333
///     compute      1   2   3
///     D2H           1   2   3
///
/// A figure is the number of the stream (0 the default stream, + a tenth one or later), # the
/// host's work, a dot is idle. Of several devices each has its lines, `compute 1`; those of `peer
/// 1` are of what leaves device 1 for another one.
[[nodiscard]] std::string draw(const Modelled& modelled, std::size_t width);

} // namespace common
