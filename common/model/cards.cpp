#include "common/model/card_constants.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>

namespace common {

namespace {

constexpr Card rescaled(const Card& base, const cpu_device::DeviceLimits& limits, double slices)
{
    Card c = base;
    c.limits = limits;
    if (limits.persisting_l2_bytes > 0)
        c.limits.persisting_l2_bytes = 10 * (limits.l2_bytes / 16);
    const double slower = base.clock_ghz() / c.clock_ghz();
    const double narrower = base.peak() / c.peak();
    const double l2_slower = slower / slices;
    const double larger_l2 = static_cast<double>(limits.l2_bytes) / base.limits.l2_bytes;
    // In the order of Scale.
    const double times[] = {1,         1 / slower, slower, 1 / narrower, 1 / l2_slower,
                            l2_slower, larger_l2};
    for (const auto& [name, value, scale] : card_constants)
        c.*value *= times[static_cast<std::size_t>(scale)];
    return c;
}

/// A figure of a GPU.
struct Constant
{
    double Card::*which;
    double value;
};

/// The GPU that `told` describes in words and limits, with these figures; the others are the
/// base's for its limits.
constexpr Card derived(const Card& base, const Card& told, std::span<const Constant> constants)
{
    Card card = rescaled(base, told.limits, told.l2_slices / static_cast<double>(base.l2_slices));
    card.option = told.option;
    card.name = told.name;
    card.basis = told.basis;
    card.doubt = told.doubt;
    card.l1_bytes = told.l1_bytes;
    card.carve_outs_kib = told.carve_outs_kib;
    card.l2_slices = told.l2_slices;
    for (const Constant& constant : constants)
        card.*constant.which = constant.value;
    return card;
}

#include "cards.inc"

/// Cards that files describe, the last one first. A list: who holds one keeps it.
std::list<Card>& added()
{
    static std::list<Card> all;
    return all;
}

/// The first GPU that has that text in that field; null if there is none.
const Card* find(std::string_view Card::*field, std::string_view text)
{
    const auto is = [&](const Card& card) { return card.*field == text; };
    if (const auto found = std::find_if(cards().begin(), cards().end(), is); found != cards().end())
        return &*found;
    const auto found = std::find_if(added().begin(), added().end(), is);
    return found == added().end() ? nullptr : &*found;
}

} // namespace

std::span<const Card> cards()
{
    return built_in;
}

std::vector<std::string> card_options()
{
    std::vector<std::string> options;
    for (const Card& card : cards())
        options.emplace_back(card.option);
    return options;
}

const Card* find_card(std::string_view option)
{
    return find(&Card::option, option);
}

const Card* card_named(std::string_view name)
{
    return find(&Card::name, name);
}

const Card& add_card(const Card& card)
{
    return added().emplace_front(card);
}

Card with_limits(const Card& base, const cpu_device::DeviceLimits& limits, double slices)
{
    return rescaled(base, limits, slices);
}

std::string unknown_card(std::string_view option)
{
    const std::string closest = nearest(option, card_options());
    return fmt::format("There is no GPU '{}' to model{} There are {}.", option,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(card_options()));
}

} // namespace common
