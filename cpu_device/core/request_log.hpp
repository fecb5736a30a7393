/// \file
/// The requests of warps, written down: of one for whoever has asked with set_request_sink(), of a
/// block for its trace.
#pragma once

#include "core/coalescer.hpp"
#include "core/kernel_memory.hpp"
#include "cpu_device/requests.hpp"
#include "cpu_device/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cpu_device {

/// The requests of the first warp of a launch.
class RequestLog
{
  public:
    /// True if somebody has asked.
    [[nodiscard]] static bool wanted();

    explicit RequestLog(const LaunchConfiguration& configuration);
    /// Notes one request of the site to global or shared memory.
    void add(const Site& site, const Request& request);
    /// Gives it to who has asked.
    void hand_out() const;

  private:
    std::vector<std::uintptr_t> sites_; ///< their keys
    LaunchRequests launch_;
};

/// A warp that goes on to run, and who is told of its requests: null for nobody.
struct TracedWarp
{
    std::size_t number = 0; ///< in the block
    RequestLog* log = nullptr;
    BlockTrace* trace = nullptr; ///< gets them in order
    /// Of so many sectors of a block each warp has its share: if it loops for long, its first
    /// rounds.
    std::size_t sectors = 0;
};

/// Writes the requests of the warp that runs down, in the order of their first lanes.
class WarpTrace
{
  public:
    void begin_launch() { opened_.clear(); }
    void begin_warp(const TracedWarp& warp) { warp_ = warp; }
    [[nodiscard]] std::size_t warp() const { return warp_.number; }
    [[nodiscard]] bool is_on() const { return warp_.trace != nullptr; }
    /// The lane is about to begin a request of the site.
    void note_opened(Site& site, unsigned lane);
    /// Writes the requests down that all lanes have passed.
    void write_passed();
    /// A request to global or shared memory has been counted, with so many conflicts.
    void note_counted(const Site& site, const Request& request, unsigned conflicts)
    {
        if (is_on() && conflicts > 0)
            warp_.trace->conflicts[site.number()] += conflicts;
        if (!is_on() && warp_.log != nullptr) [[unlikely]] // else write_passed() has
            warp_.log->add(site, request);
    }

  private:
    TracedWarp warp_;
    std::vector<std::pair<Site*, unsigned>> opened_; ///< visits
};

} // namespace cpu_device
