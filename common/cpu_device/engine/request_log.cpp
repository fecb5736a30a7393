#include "engine/request_log.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace cpu_device {

namespace {

constexpr int unwritable = 2; ///< exit status, as of any output that cannot be written

const char* file()
{
    return std::getenv("MOVING_BYTES_TRACE");
}

/// A kernel's name as written may hold a character literal: `fill<'"'>`.
std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

std::string extent(const Dimensions& size)
{
    std::string text = "[";
    text += std::to_string(size.x) + ", " + std::to_string(size.y) + ", ";
    return text + std::to_string(size.z) + "]";
}

} // namespace

bool RequestLog::wanted()
{
    return file() != nullptr;
}

void RequestLog::add(std::uintptr_t site, const Region& region, Access access,
                     const Request& request)
{
    std::uintptr_t lowest = UINTPTR_MAX;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (request.mask >> lane & 1)
            lowest = std::min(lowest, request.addresses[lane]);

    const bool shared = region.space == Space::shared;
    Allocation allocation;
    if (!shared)
        static_cast<void>(find_allocation(reinterpret_cast<const void*>(lowest), allocation));
    const std::uintptr_t base = shared ? lowest : region.begin;

    const auto known = std::find(sites_.begin(), sites_.end(), site);
    const auto number = std::to_string(known - sites_.begin());
    if (known == sites_.end())
        sites_.push_back(site);

    requests_ += requests_.empty() ? "" : ", ";
    requests_ += "{\"site\": " + number + ", \"access\": \"";
    requests_ += access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
    requests_ += shared ? "\", \"space\": \"shared\"" : "\", \"space\": \"global\"";
    requests_ += ", \"allocation\": " + std::to_string(allocation.serial);
    requests_ += ", \"bytes\": " + std::to_string(request.bytes) + ", \"offsets\": [";
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        requests_ += lane == 0 ? "" : ", ";
        requests_ +=
            request.mask >> lane & 1 ? std::to_string(request.addresses[lane] - base) : "null";
    }
    requests_ += "]}";
}

void RequestLog::write(const LaunchConfiguration& configuration) const
{
    const std::string line = "{\"kernel\": " + quoted(configuration.kernel) +
                             ", \"grid\": " + extent(configuration.grid) +
                             ", \"block\": " + extent(configuration.block) + ", \"requests\": [" +
                             requests_ + "]}";
    std::ofstream out(file(), std::ios::app);
    out << line << '\n';
    if (!out.flush()) { // whoever reads half a trace takes it for a whole one
        std::fprintf(stderr, "MOVING_BYTES_TRACE: cannot write '%s'.\n", file());
        std::_Exit(unwritable);
    }
}

} // namespace cpu_device
