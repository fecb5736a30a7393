#include "common/exercise/requests.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

namespace common {

namespace {

/// Of one request: an offset for each lane that takes part.
struct Request
{
    std::uint64_t bytes = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> lanes; ///< number, offset
};

/// 32-byte units that the lanes touch.
std::size_t sectors(const Request& request)
{
    std::set<std::uint64_t> touched;
    for (const auto& [lane, offset] : request.lanes)
        touched.insert(offset / 32);
    return touched.size();
}

/// Words that the busiest bank has to deliver, one after the other. Lanes of 8 and 16 bytes take
/// their turns by half and quarter warps.
std::size_t wavefronts(const Request& request)
{
    const std::size_t together = request.bytes <= 4 ? 32 : 128 / request.bytes;
    std::size_t all = 0;
    for (std::size_t first = 0; first < 32; first += together) {
        std::array<std::set<std::uint64_t>, 32> words;
        for (const auto& [lane, offset] : request.lanes)
            if (lane / together == first / together)
                for (std::uint64_t at = 0; at < std::max<std::uint64_t>(request.bytes, 4); at += 4)
                    words[(offset + at) / 4 % 32].insert((offset + at) / 4);
        std::size_t most = 0;
        for (const auto& bank : words)
            most = std::max(most, bank.size());
        all += most;
    }
    return all;
}

Request request_of(const nlohmann::json& entry)
{
    Request request{entry["bytes"].get<std::uint64_t>(), {}};
    for (std::size_t lane = 0; lane < entry["offsets"].size(); ++lane)
        if (!entry["offsets"][lane].is_null())
            request.lanes.emplace_back(lane, entry["offsets"][lane].get<std::uint64_t>());
    return request;
}

std::string sentence(const std::string& kernel, const std::string& access, std::size_t number,
                     const Request& request, bool shared, std::size_t cost)
{
    constexpr std::size_t shown = 4;
    std::string text =
        fmt::format("Kernel {}: {} {} of the first warp {} {} {}: ", kernel, access, number,
                    shared ? "needs" : "touches", cost, shared ? "wavefronts" : "sectors");
    for (std::size_t i = 0; i < std::min(shown, request.lanes.size()); ++i)
        text +=
            fmt::format("lane {} at byte {}, ", request.lanes[i].first, request.lanes[i].second);
    return text + (request.lanes.size() > shown ? "..." : "and no more lanes.");
}

/// A file for the trace, which goes again.
class Trace
{
  public:
    Trace()
    {
        const int file = mkstemp(path_.data());
        if (file >= 0)
            close(file);
        setenv(variable, path_.c_str(), 1);
    }
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    ~Trace()
    {
        unsetenv(variable);
        std::remove(path_.c_str());
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    static constexpr const char* variable = "MOVING_BYTES_TRACE";
    std::string path_ = "/tmp/moving-bytes-trace-XXXXXX";
};

} // namespace

std::string describe_worst_request(const std::function<void()>& solve, const std::string& space,
                                   const std::string& access, double limit)
{
    const Trace trace;
    solve();
    if (cudaDeviceSynchronize() != cudaSuccess)
        return {};
    const bool shared = space == "shared";
    auto most = static_cast<std::size_t>(std::ceil(limit));
    std::string text = "No request of the first warp stands out: look where other warps begin.";
    std::ifstream lines(trace.path());
    for (std::string line; std::getline(lines, line);) {
        const nlohmann::json launch = nlohmann::json::parse(line, nullptr, false);
        if (launch.is_discarded())
            continue;
        std::size_t number = 0;
        for (const nlohmann::json& entry : launch["requests"]) {
            if (entry["space"] != space || entry["access"] != access)
                continue;
            ++number;
            const Request request = request_of(entry);
            const std::size_t cost = shared ? wavefronts(request) : sectors(request);
            if (cost > most) {
                most = cost;
                text = sentence(launch["kernel"], access, number, request, shared, cost);
            }
        }
    }
    return text;
}

} // namespace common
