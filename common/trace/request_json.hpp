/// \file
/// The requests of a warp as JSON: a line of `MOVING_BYTES_TRACE`, and what a figure draws.
#pragma once

#include <cpu_device/requests.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

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
    using json = nlohmann::ordered_json;
    constexpr const char* accesses[] = {"load", "store", "atomic"};
    const auto by_lane = [](const auto& lanes) {
        json list = json::array();
        for (const auto& lane : lanes)
            list.push_back(lane ? json(*lane) : json());
        return list;
    };
    json all = {{"kernel", launch.kernel},
                {"grid", launch.grid},
                {"block", launch.block},
                {"requests", json::array()}};
    for (const cpu_device::WarpRequest& request : launch.requests) {
        json one = {{"site", request.site},
                    {"access", accesses[static_cast<std::size_t>(request.access)]},
                    {"space", request.shared ? "shared" : "global"},
                    {"allocation", request.allocation},
                    {"bytes", request.bytes},
                    {"offsets", by_lane(request.offsets)}};
        if (request.shared) {
            for (const auto& wavefront : request.wavefronts)
                one["wavefronts"].push_back(by_lane(wavefront));
            one["conflicts"] = request.conflicts;
        } else {
            one["sectors"] = request.sectors;
        }
        all["requests"].push_back(std::move(one));
    }
    return all;
}

} // namespace common
