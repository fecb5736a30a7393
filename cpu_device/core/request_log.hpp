/// \file
/// The requests of one warp, written down for whoever wants to draw or read them.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/detail/engine.hpp"

#include <string>

namespace cpu_device {

/// With the environment variable MOVING_BYTES_TRACE=FILE, each launch appends one line of JSON to
/// that file: its kernel, grid and block, and every request of the first warp of its first block
/// that goes to global or shared memory.
///
///     {"kernel": "add", "grid": [8, 1, 1], "block": [128, 1, 1], "requests": [
///       {"site": 0, "access": "load", "space": "global", "allocation": 1, "bytes": 4,
///        "offsets": [0, 4, ..., null]}, ...]}
///
/// `site` numbers the instructions in the order of their first request. `offsets` holds one entry a
/// lane, null for a lane that takes no part: bytes from the start of the allocation, or, in shared
/// memory, from the lowest byte of the request (`allocation` is then 0).
class RequestLog
{
  public:
    /// True if a file was asked for.
    [[nodiscard]] static bool wanted();

    /// Notes one request of the instruction `site` to the memory `region`.
    void add(std::uintptr_t site, const Region& region, Access access, const Request& request);
    /// Appends the line. Says on standard error when the file cannot be written.
    void write(const LaunchConfiguration& configuration) const;

  private:
    std::vector<std::uintptr_t> sites_;
    std::string requests_; ///< as JSON, separated by commas
};

} // namespace cpu_device
