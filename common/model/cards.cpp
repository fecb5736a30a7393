#include "common/model/card.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace common {

namespace {

/// Cards that files describe, the last one first: a reader's program reads one before main(). A
/// list: who holds one keeps it.
std::list<Card>& added()
{
    static std::list<Card> all;
    return all;
}

} // namespace

std::span<const Card> cards()
{
    static const std::vector<Card> built_in = [] {
        std::vector<Card> all;
#include "cards.inc"
        return all;
    }();
    return built_in;
}

std::vector<std::string> card_options()
{
    std::vector<std::string> options;
    for (const Card& card : cards())
        options.emplace_back(card.option);
    return options;
}

const Card* find_card(std::string_view name)
{
    const auto is = [&](const Card& card) { return card.option == name || card.name == name; };
    if (const auto found = std::ranges::find_if(cards(), is); found != cards().end())
        return &*found;
    const auto found = std::ranges::find_if(added(), is);
    return found == added().end() ? nullptr : &*found;
}

const Card& add_card(const Card& card)
{
    return added().emplace_front(card);
}

Card with_limits(const Card& base, const cpu_device::DeviceLimits& limits, double slices)
{
    Card card = base;
    card.limits = limits;
    if (limits.persisting_l2_bytes > 0)
        card.limits.persisting_l2_bytes = 10 * (limits.l2_bytes / 16);
    // What a figure may grow with, as cards/h200.json names it.
    const double nothing = 1;
    const double per_clock = base.clock_ghz() / card.clock_ghz();
    const double clock = 1 / per_clock;
    const double peak = 1 / (base.peak() / card.peak());
    const double per_l2 = per_clock / slices;
    const double l2 = 1 / per_l2;
    const double l2_bytes = static_cast<double>(limits.l2_bytes) / base.limits.l2_bytes;
#define CARD_CONSTANT(name, scales) card.name *= scales;
#include "card_constants.inc"
#undef CARD_CONSTANT
    return card;
}

std::string unknown_card(std::string_view option)
{
    const std::string closest = nearest(option, card_options());
    return fmt::format("There is no GPU '{}' to model{} There are {}.", option,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(card_options()));
}

} // namespace common
