/// \file
/// The requests of one warp, written down for whoever has asked with set_request_sink().
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/requests.hpp"

#include <vector>

namespace cpu_device {

class RequestLog
{
  public:
    /// True if somebody has asked.
    [[nodiscard]] static bool wanted();

    explicit RequestLog(const LaunchConfiguration& configuration);
    /// Notes one request of the instruction `site` to the memory `region`.
    /// `instruction`: see WarpRequest.
    void add(std::uintptr_t site, std::uint32_t instruction, const Region& region, Access access,
             const Request& request);
    /// Gives it to who has asked.
    void hand_out() const;

  private:
    std::vector<std::uintptr_t> sites_;
    LaunchRequests launch_;
};

} // namespace cpu_device
