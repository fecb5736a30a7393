/// \file
/// The requests of warps, written down: of one for whoever has asked with set_request_sink(), of a
/// block for its trace.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/requests.hpp"
#include "cpu_device/trace.hpp"

#include <vector>

namespace cpu_device {

/// The requests of the first warp of a launch.
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

/// Notes a request of the warp to global or shared memory.
void add_request(BlockTrace& trace, std::size_t warp, std::uint32_t site, AddressSpace space,
                 Access access, const Request& request);

} // namespace cpu_device
