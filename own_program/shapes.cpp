#include "own_program/shapes.hpp"

#include "common/device/setting.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <cstdlib>

namespace own_program {
namespace {

/// True if no count of two launches differs by more than a tenth, and their times do not.
bool alike(const Shape& shape, const Shape& next)
{
    const common::Counts &one = shape.first, &other = next.first;
    const auto [fast, slow] = std::minmax(shape.first_ms, next.first_ms);
    return slow - fast <= slow / 10 &&
           std::ranges::all_of(cpu_device::counters, [&](const cpu_device::Counter& counter) {
               const auto [least, most] = std::minmax(one.*counter.member, other.*counter.member);
               return most - least <= most / 10 ||
                      counter.member == &common::Counts::divergent_warps;
           });
}

/// What a launch asks of the GPU, whether or not its time can be told.
std::optional<common::Demand> asked_of(const common::LaunchRecord& launch, bool shared = true)
{
    const common::Card* card = modelled_card();
    if (card == nullptr || !launch.traffic)
        return {};
    const int registers = registers_of(launch.kernel);
    return demand(launch, *launch.traffic, *card,
                  registers > 0 ? registers : common::assumed_registers,
                  shared ? launch.static_shared_bytes + launch.dynamic_shared_bytes : 0);
}

Shape shape_of(const common::LaunchRecord& launch, std::size_t place)
{
    Shape shape{.total = launch, .first = launch.counts, .uncounted = launch.repeats};
    shape.longest_launch = place;
    shape.untimed = untimed(launch);
    for (const auto& [name, value] : launch.numbers)
        shape.numbers.push_back({value});
    if (const auto time = model(launch)) {
        shape.modelled = 1;
        shape.ms = shape.first_ms = time->ms;
        shape.bytes = dram_bytes(launch);
        shape.longest = *time;
    }
    return shape;
}

} // namespace

std::string name_of(const Shape& shape, const std::vector<Shape>& shapes)
{
    const bool has_namesake = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& other) {
        return shape.is_namesake(other.total);
    });
    constexpr std::size_t heading_columns = 20; // next to the name where rows are stacked
    if (!has_namesake)
        return common::shorten(shape.total.kernel, name_columns, name_columns / 2);
    const std::size_t room = std::max(common::output_width(), name_columns + heading_columns);
    return common::shorten(shape.total.signature, room - heading_columns, name_columns / 2);
}

std::string arguments_of(const Shape& shape, const std::vector<Shape>& shapes)
{
    constexpr std::size_t few = 3;
    std::string text;
    for (std::size_t i = 0; i < shape.numbers.size(); ++i) {
        const std::set<long long>& values = shape.numbers[i];
        if (std::ranges::all_of(shapes,
                                [&](const Shape& other) {
                                    return !other.covers(shape.total) ||
                                           i >= other.numbers.size() || other.numbers[i] == values;
                                }) &&
            values.size() == 1)
            continue;
        text += (text.empty() ? "" : ", ") + shape.total.numbers[i].first;
        if (values.size() <= few)
            for (const long long value : values)
                text += (value == *values.begin() ? " " : "/") + std::to_string(value);
        else
            text +=
                " " + std::to_string(*values.begin()) + " to " + std::to_string(*values.rbegin());
    }
    return common::shorten(text, name_columns);
}

const common::Card* modelled_card()
{
    static const common::Card* const card = [] {
        const char* asked = std::getenv("MOVING_BYTES_CARD");
        const std::string option = asked == nullptr ? common::card_options().front() : asked;
        const common::Card* found = common::find_card(option);
        if (option != "none" && found == nullptr)
            common::end_program(bad_usage, common::unknown_card(option));
        return found;
    }();
    return card;
}

std::optional<common::Demand> demand_of(const common::LaunchRecord& launch, bool shared)
{
    return untimed(launch).empty() ? asked_of(launch, shared) : std::nullopt;
}

std::string_view untimed(const common::LaunchRecord& launch)
{
    const std::optional<common::Demand> asked = asked_of(launch);
    if (!asked)
        return "";
    // A request costs some hundreds of nanoseconds on any host; what costs fifty times as much is
    // what the kernel computes.
    constexpr double long_time = 20'000;
    if (launch.host_ns_per_request > long_time)
        return "it spends a long time on arithmetic or fences, which are not modelled";
    if (launch.faulted_bytes > 0)
        return "it causes page faults on managed memory, and the driver decides how long they take";
    return common::untimed(*launch.traffic, *asked, *modelled_card());
}

std::optional<common::ModelledTime> model(const common::LaunchRecord& launch)
{
    const std::optional<common::Demand> asked = demand_of(launch);
    if (!asked)
        return {};
    const common::Card* const card = modelled_card();
    common::ModelledTime time = predict(*asked, *card);
    // The model is about the memory of a GPU; what a kernel reads or writes of the host's comes
    // over the link, both ways at once.
    const double link_ms =
        std::max(static_cast<double>(launch.link_in_bytes) / (card->link_in_gb_per_s * 1e6),
                 static_cast<double>(launch.link_out_bytes) / (card->link_out_gb_per_s * 1e6));
    if (link_ms > 0)
        time.bounds.push_back({.name = "host", .ms = link_ms});
    if (link_ms > time.ms) {
        time.ms = link_ms;
        time.limited_by = "host";
    }
    return time;
}

double dram_bytes(const common::LaunchRecord& launch)
{
    return static_cast<double>(launch.counts.distinct_sectors * common::Counts::sector_bytes);
}

std::vector<Shape> shapes_of(const std::vector<common::LaunchRecord>& launches)
{
    constexpr std::ptrdiff_t most_alike = 4, most_by_arguments = 12; // rows of a configuration
    std::vector<Shape> shapes;
    for (const common::LaunchRecord& launch : launches) {
        Shape next = shape_of(launch, static_cast<std::size_t>(&launch - launches.data()));
        const auto covers = [&](const Shape& shape) { return shape.covers(launch); };
        const auto same = std::ranges::find_if(shapes, [&](const Shape& shape) {
            return covers(shape) && (shape.mixed || alike(shape, next));
        });
        if (same != shapes.end()) {
            same->add(next);
            continue;
        }
        const auto first = std::ranges::find_if(shapes, covers);
        const bool by_arguments = first != shapes.end() && first->numbers != next.numbers;
        if (std::ranges::count_if(shapes, covers) <
            (by_arguments ? most_by_arguments : most_alike)) {
            shapes.push_back(next);
            continue;
        }
        first->add(next);
        first->mixed = true;
        for (auto other = first + 1; other != shapes.end();)
            if (covers(*other)) {
                first->add(*other);
                other = shapes.erase(other);
            } else {
                ++other;
            }
    }
    return shapes;
}

} // namespace own_program
