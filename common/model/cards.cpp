#include "common/model/card.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <list>
#include <type_traits>
#include <variant>

namespace common {

namespace {

using cpu_device::DeviceLimits;
using json = nlohmann::ordered_json;

/// Cards that files describe, the last one first: a reader's program reads one before main(). A
/// list: who holds one keeps it.
std::list<Card>& added()
{
    static std::list<Card> all;
    return all;
}

} // namespace

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

std::string unknown_card(std::string_view option)
{
    const std::string closest = nearest(option, card_options());
    return fmt::format("There is no GPU '{}' to model{} There are {}.", option,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(card_options()));
}

namespace {

/// What a file may have of the limits, with the most that is believed.
struct Limit
{
    std::string_view name;
    std::variant<int DeviceLimits::*, std::size_t DeviceLimits::*> member;
    int least;
    int most;
};

constexpr Limit known_limits[] = {
    {"multiprocessors", &DeviceLimits::multiprocessors, 1, 1024},
    {"l2_bytes", &DeviceLimits::l2_bytes, 1, 1 << 30},
    {"clock_khz", &DeviceLimits::clock_khz, 1, 10'000'000},
    {"memory_clock_khz", &DeviceLimits::memory_clock_khz, 1, 100'000'000},
    {"memory_bus_bits", &DeviceLimits::memory_bus_bits, 1, 1 << 16},
    {"max_threads_per_multiprocessor", &DeviceLimits::max_threads_per_multiprocessor, 1024,
     1 << 16},
    {"max_blocks_per_multiprocessor", &DeviceLimits::max_blocks_per_multiprocessor, 1, 1 << 10},
    {"shared_bytes_per_multiprocessor", &DeviceLimits::shared_bytes_per_multiprocessor, 48 << 10,
     1 << 30},
    {"shared_bytes_per_block_optin", &DeviceLimits::shared_bytes_per_block_optin, 48 << 10,
     1 << 30},
    {"reserved_shared_bytes_per_block", &DeviceLimits::reserved_shared_bytes_per_block, 0, 1 << 16},
    {"persisting_l2_bytes", &DeviceLimits::persisting_l2_bytes, 0, 1 << 30},
    {"access_policy_window_bytes", &DeviceLimits::access_policy_window_bytes, 0, 1 << 30},
    {"copy_engines", &DeviceLimits::copy_engines, 1, 16},
};

/// Text that a terminal and a table can show. Here and below what a CardError says is the end of a
/// sentence, as what the reader of JSON says is.
std::string text(const json& file, const char* key, std::size_t least, std::size_t most)
{
    const json& value = file.at(key);
    std::string found = value.is_string() ? value.get<std::string>() : "\n";
    const bool plain =
        std::all_of(found.begin(), found.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (found.size() < least || found.size() > most || !plain)
        throw CardError(
            fmt::format("{} is not a text of {} to {} ASCII characters", key, least, most));
    return found;
}

/// A number, which is whole if its limits are.
template<class Number>
Number number(const json& value, const std::string& name, Number least, Number most)
{
    constexpr bool whole = std::is_integral_v<Number>;
    if ((whole ? value.is_number_unsigned() : value.is_number()) && value >= least && value <= most)
        return value.get<Number>();
    const std::string shown =
        value.is_structured() ? "a list or an object" : value.dump(-1, ' ', true).substr(0, 40);
    throw CardError(fmt::format("{} is {}, which is not a {}number from {:.10g} to {:.10g}", name,
                                shown, whole ? "whole " : "", static_cast<double>(least),
                                static_cast<double>(most)));
}

/// The entry of `known` of that name, which `path` leads to.
template<class Known, class Name>
const auto& entry(const Known& known, const std::string& name, const char* path, Name name_of)
{
    const auto found = std::ranges::find(known, name, name_of);
    if (found != std::end(known))
        return *found;
    std::vector<std::string> names;
    for (const auto& one : known)
        names.emplace_back(one.*name_of);
    const std::string closest = nearest(name, names);
    throw CardError(
        fmt::format("{}.{} is not a property of a GPU{}", path, name.substr(0, 40),
                    closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest)));
}

/// The GPU that a file describes. What the file says nothing of is that of `base`: each constant
/// grows as cards/h200.json says.
Card described(const json& file, const Card& base)
{
    Card card = base;
    for (const auto& [key, value] : file.at("limits").items()) {
        const Limit& limit = entry(known_limits, key, "limits", &Limit::name);
        const int found = number(value, "limits." + key, limit.least, limit.most);
        std::visit([&](auto place) { card.limits.*place = static_cast<std::size_t>(found); },
                   limit.member);
    }
    if (card.limits.persisting_l2_bytes > 0)
        card.limits.persisting_l2_bytes = 10 * (card.limits.l2_bytes / 16);
    if (card.peak() < 1)
        throw CardError("the peak of its memory, by limits.memory_clock_khz and "
                        "limits.memory_bus_bits, is below 1 GB/s");
    // What a figure may grow with, as cards/h200.json names it.
    const double l2_bytes = static_cast<double>(card.limits.l2_bytes) / base.limits.l2_bytes;
    double slices = l2_bytes;
    if (file.contains("l2_slices")) {
        card.l2_slices = number(file["l2_slices"], "l2_slices", 1.0, 1e9);
        slices = card.l2_slices / base.l2_slices;
    }
    const double nothing = 1;
    const double per_clock = base.clock_ghz() / card.clock_ghz();
    const double clock = 1 / per_clock;
    const double peak = 1 / (base.peak() / card.peak());
    const double per_l2 = per_clock / slices;
    const double l2 = 1 / per_l2;
#define CARD_CONSTANT(name, scales) card.name *= scales;
#include "card_constants.inc"
#undef CARD_CONSTANT
    using Constant = std::pair<std::string_view, double Card::*>;
    for (const auto& [key, told] : file.at("constants").items()) {
        const auto& [_, place] = entry(card_constants, key, "constants", &Constant::first);
        const json& value = told.is_object() ? told.at("value") : told;
        // Those of GPUs are from 1e-4 to 4e7.
        card.*place = number(value, "constants." + key, 1e-9, 1e12);
    }
    if (file.contains("l1_bytes"))
        card.l1_bytes = static_cast<std::size_t>(number(file["l1_bytes"], "l1_bytes", 1, 1 << 30));
    if (file.contains("carve_outs_kib"))
        card.carve_outs_kib = file["carve_outs_kib"].get<std::vector<std::size_t>>();
    card.name = text(file, "name", 1, 80);
    card.basis = text(file, "basis", 1, 400);
    card.doubt = text(file, "doubt", 0, 400);
    return card;
}

} // namespace

std::span<const Card> cards()
{
    static const std::vector<Card> built_in = [] {
        std::vector<Card> all;
        for (const char* const text : {
#include "cards.inc"
             }) {
            const json file = json::parse(text);
            all.push_back(described(file, all.empty() ? Card{} : all.front()));
            all.back().option = file["option"];
        }
        return all;
    }();
    return built_in;
}

bool names_card_file(std::string_view card)
{
    return card.find('/') != std::string_view::npos || card.ends_with(".json");
}

const Card& card_from_json(const std::string& text, const std::string& path)
{
    try {
        const json file = json::parse(text);
        if (file.at("schema") != 2)
            throw CardError("its schema is not 2: ./run calibrate writes it anew");
        const std::string base = common::text(file, "base", 1, 80);
        if (find_card(base) == nullptr)
            throw CardError("base: " + unknown_card(base));
        Card card = described(file, *find_card(base));
        card.option = path;
        return added().emplace_front(std::move(card));
    } catch (const std::exception& error) {
        std::string why = error.what();
        if (why.starts_with("[json.")) // "[json.exception.out_of_range.403] key 'limits' not found"
            why.erase(0, why.find(' ') + 1);
        throw CardError(fmt::format("{} is not a card file: {}{}", path, why.substr(0, 400),
                                    why.ends_with('.') || why.ends_with('?') ? "" : "."));
    }
}

const Card& read_card_file(const std::string& path)
{
    constexpr std::size_t most = std::size_t{1} << 20U; // bytes: of a device there is no end
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text(most + 1, '\0');
    if (!file || !file.read(text.data(), static_cast<std::streamsize>(text.size())).gcount())
        throw CardError(fmt::format("Cannot read the card file {}: {}.", path,
                                    errno == 0 ? "it is empty" : std::strerror(errno)));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > most)
        throw CardError(
            fmt::format("{} is not a card file: it is longer than {}.", path, format_bytes(most)));
    return card_from_json(text, path);
}

} // namespace common
