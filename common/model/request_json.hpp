/// \file
/// The requests of a warp as JSON: a line of `MOVING_BYTES_TRACE`, and what a figure draws.
#pragma once

#include <cpu_device/requests.hpp>
#include <nlohmann/json.hpp>

#include <optional>

#ifndef DOXYGEN // which takes the library's own for missing
template<class T>
struct nlohmann::adl_serializer<std::optional<T>>
{
    static void to_json(nlohmann::ordered_json& json, const std::optional<T>& value)
    {
        json = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    }
};
#endif

namespace common {

/// One launch:
///
///     {"kernel": "add", "grid": [8, 1, 1], "block": [128, 1, 1], "requests": [
///       {"site": 0, "access": "load", "space": "global", "allocation": 1, "bytes": 4,
///        "offsets": [0, 4, ..., null], "sectors": [0, 1, 2, 3]}, ...]}
///
/// A request to shared memory has "wavefronts", a list of lists by bank, and "conflicts" in place
/// of "sectors".
[[nodiscard]] inline nlohmann::ordered_json json_of(const cpu_device::LaunchRequests& launch)
{
    using cpu_device::Access;
    nlohmann::ordered_json all = {{"kernel", launch.kernel},
                                  {"grid", launch.grid},
                                  {"block", launch.block},
                                  {"requests", nlohmann::ordered_json::array()}};
    for (const cpu_device::WarpRequest& request : launch.requests) {
        const Access access = request.access;
        nlohmann::ordered_json one = {{"site", request.site},
                                      {"access", access == Access::load    ? "load"
                                                 : access == Access::store ? "store"
                                                                           : "atomic"},
                                      {"space", request.shared ? "shared" : "global"},
                                      {"allocation", request.allocation},
                                      {"bytes", request.bytes},
                                      {"offsets", request.offsets}};
        if (request.shared)
            one.update({{"wavefronts", request.wavefronts}, {"conflicts", request.conflicts}});
        else
            one["sectors"] = request.sectors;
        all["requests"].push_back(std::move(one));
    }
    return all;
}

} // namespace common
