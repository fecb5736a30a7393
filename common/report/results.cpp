#include "common/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace common {

std::string to_string(const Parameter::Value& value)
{
    struct Text
    {
        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return fmt::format("{:.4g}", number); }
        std::string operator()(const std::string& text) const { return text; }
    };
    return std::visit(Text{}, value);
}

const Parameter::Value* Row::parameter(std::string_view name) const
{
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    return found == parameters.end() ? nullptr : &found->value;
}

std::string Row::label() const
{
    std::vector<std::string> values;
    for (const Parameter& p : parameters)
        if (p.name == "threads")
            values.push_back(to_string(p.value) + " threads");
        else if (p.name != "n")
            values.push_back(p.name + " " + to_string(p.value));
    return values.empty() ? variant : fmt::format("{} ({})", variant, fmt::join(values, ", "));
}

const char* name(Cache cache)
{
    return cache == Cache::cold ? "cold" : "hot";
}

Row row_of(const LaunchRecord& launch)
{
    const auto extent = [](const std::array<unsigned, 3>& size) {
        return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
    };
    Row row;
    row.variant = launch.kernel;
    row.parameters = {{"grid", extent(launch.grid)}, {"block", extent(launch.block)}};
    if (launch.device)
        row.parameters.push_back({"device", *launch.device});
    if (launch.dynamic_shared_bytes > 0)
        row.parameters.push_back({"dynamic_shared_bytes", launch.dynamic_shared_bytes});
    row.bytes = launch.counts.bytes_requested();
    row.counts = launch.counts;
    if (const std::uint64_t bytes = launch.counts.peer_bytes(); bytes > 0)
        row.peer_bytes = bytes;
    return row;
}

} // namespace common
