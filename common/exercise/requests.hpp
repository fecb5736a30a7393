/// \file
/// The requests of one warp, as evidence.
#pragma once

#include <functional>
#include <string>

namespace common {

/// Which requests: to shared memory, else to global memory; loads, else stores.
struct RequestKind
{
    bool shared = false;
    bool load = true;
};

/// Calls `solve` on the CPU device and describes, of the requests of that kind that the first warp
/// of each launch made, the one that touches the most sectors, or, in shared memory, has the most
/// bank conflicts: "Kernel add: load 2 of the first warp touches 32 sectors: lane 0 at byte 0, lane
/// 1 at byte 4096, ...". Says so where none exceeds `limit` of them. Empty where that cannot be
/// found out.
[[nodiscard]] std::string describe_worst_request(const std::function<void()>& solve,
                                                 RequestKind kind, double limit);

} // namespace common
