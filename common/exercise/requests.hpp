/// \file
/// The requests of one warp, as evidence.
#pragma once

#include <functional>
#include <string>

namespace common {

/// Calls `solve` on the CPU device and describes, of the requests that the first warp of each
/// launch made, the one to `space` ("global", "shared") by `access` ("load", "store") that touches
/// the most sectors, or needs the most wavefronts: "Kernel add: load 2 of the first warp touches 32
/// sectors: lane 0 at byte 0, lane 1 at byte 4096, ...". Says so where none exceeds `limit`. Empty
/// where that cannot be found out.
[[nodiscard]] std::string describe_worst_request(const std::function<void()>& solve,
                                                 const std::string& space,
                                                 const std::string& access, double limit);

} // namespace common
