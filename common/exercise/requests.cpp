#include "common/exercise/requests.hpp"

#include "common/device/device.hpp"

#include <cpu_device/requests.hpp>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace common {

namespace {

std::string sentence(const std::string& kernel, const char* access, std::size_t number,
                     const cpu_device::WarpRequest& request)
{
    constexpr std::size_t shown = 4;
    const std::string cost = request.shared
                                 ? fmt::format("needs {} wavefronts", request.wavefronts.size())
                                 : fmt::format("touches {} sectors", request.sectors.size());
    std::string text =
        fmt::format("Kernel {}: {} {} of the first warp {}: ", kernel, access, number, cost);
    std::size_t lanes = 0;
    for (std::size_t lane = 0; lane < request.offsets.size(); ++lane)
        if (request.offsets[lane] && lanes++ < shown)
            text += fmt::format("lane {} at byte {}, ", lane, *request.offsets[lane]);
    return text + (lanes > shown ? "..." : "no other lane.");
}

} // namespace

std::string describe_worst_request(const std::function<void()>& solve, RequestKind kind,
                                   double limit)
{
    limit = std::ceil(limit);
    bool failed = false;
    const auto launches = requests_of([&] {
        solve();
        failed = cudaDeviceSynchronize() != cudaSuccess;
    });
    if (failed)
        return {};
    const auto access = kind.load ? cpu_device::Access::load : cpu_device::Access::store;
    std::string text =
        "No request of the first warp exceeds the limit: look where other warps begin.";
    for (const cpu_device::LaunchRequests& launch : launches) {
        std::size_t number = 0;
        for (const cpu_device::WarpRequest& request : launch.requests) {
            if (request.shared != kind.shared || request.access != access)
                continue;
            ++number;
            const auto cost =
                static_cast<double>(request.shared ? request.conflicts : request.sectors.size());
            if (cost > limit) {
                limit = cost;
                text = sentence(launch.kernel, kind.load ? "load" : "store", number, request);
            }
        }
    }
    return text;
}

} // namespace common
