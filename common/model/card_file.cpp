#include "common/model/card_file.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <list>
#include <utility>
#include <vector>

namespace common {

namespace {

using json = nlohmann::ordered_json;

#define CONSTANT(name) std::pair<std::string_view, double Card::*>(#name, &Card::name)

/// Every figure of a card that a file may have.
constexpr std::pair<std::string_view, double Card::*> known_constants[] = {
    CONSTANT(l2_holds),
    CONSTANT(memory_gb_per_s),
    CONSTANT(link_in_gb_per_s),
    CONSTANT(link_out_gb_per_s),
    CONSTANT(staged_in_gb_per_s),
    CONSTANT(staged_out_gb_per_s),
    CONSTANT(mapped_in_gb_per_s),
    CONSTANT(faulting_in_gb_per_s),
    CONSTANT(faulting_out_gb_per_s),
    CONSTANT(peer_gb_per_s),
    CONSTANT(peer_staged_gb_per_s),
    CONSTANT(peer_staging_gb_per_s),
    CONSTANT(host_gb_per_s),
    CONSTANT(host_write_combined_gb_per_s),
    CONSTANT(page_locking_gb_per_s),
    CONSTANT(page_unlocking_gb_per_s),
    CONSTANT(copy_latency_us),
    CONSTANT(launch_latency_us),
    CONSTANT(call_us),
    CONSTANT(wait_us),
    CONSTANT(launch_rate),
    CONSTANT(launch_ns),
    CONSTANT(block_ns),
    CONSTANT(warp_ns),
    CONSTANT(dimension_ns),
    CONSTANT(barrier_ns),
    CONSTANT(dram_ns),
    CONSTANT(l2_ns),
    CONSTANT(l1_ns),
    CONSTANT(line_ns),
    CONSTANT(read_queue_ns),
    CONSTANT(mixed_queue_ns),
    CONSTANT(dram_rate),
    CONSTANT(turn_cost),
    CONSTANT(dram_row),
    CONSTANT(row_turn),
    CONSTANT(l2_return),
    CONSTANT(l2_read),
    CONSTANT(l2_request),
    CONSTANT(l2_packet),
    CONSTANT(l2_write),
    CONSTANT(l2_partial),
    CONSTANT(l2_joint),
    CONSTANT(l2_early),
    CONSTANT(l2_fill),
    CONSTANT(lsu_rate),
    CONSTANT(constant_rate),
    CONSTANT(issue_rate),
    CONSTANT(logic_rate),
    CONSTANT(multiplication_rate),
    CONSTANT(special_rate),
    CONSTANT(double_rate),
    CONSTANT(instructions),
    CONSTANT(repeated_instructions),
    CONSTANT(shared_instructions),
    CONSTANT(slice_atomics),
    CONSTANT(atomics),
};

#undef CONSTANT

/// What a file may have of the limits, with the most that is believed.
struct Limit
{
    std::string_view name;
    int cpu_device::DeviceLimits::*value;
    int most;
};

constexpr Limit known_limits[] = {
    {"multiprocessors", &cpu_device::DeviceLimits::multiprocessors, 1024},
    {"l2_bytes", &cpu_device::DeviceLimits::l2_bytes, 1 << 30},
    {"clock_khz", &cpu_device::DeviceLimits::clock_khz, 10'000'000},
    {"memory_clock_khz", &cpu_device::DeviceLimits::memory_clock_khz, 100'000'000},
    {"memory_bus_bits", &cpu_device::DeviceLimits::memory_bus_bits, 1 << 16},
};

constexpr double most_of_a_constant = 1e12;

/// What is wrong, as the end of a sentence.
[[noreturn]] void wrong(const std::string& what)
{
    throw CardError(what);
}

const json& member(const json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end())
        wrong(fmt::format("{} is missing", key));
    return *found;
}

/// Text that a terminal and a table can show.
std::string word(const json& object, const char* key)
{
    const json& value = member(object, key);
    std::string text = value.is_string() ? value.get<std::string>() : "";
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (text.empty() || text.size() > 80 || !plain)
        wrong(fmt::format("{} is not a text of 1 to 80 ASCII characters", key));
    return text;
}

/// A value of the file in a sentence.
std::string shown(const json& value)
{
    return value.is_structured() ? "a list or an object" : value.dump(-1, ' ', true).substr(0, 40);
}

/// The entry of `known` of that name, which `path` leads to.
template<class Known, class Name>
const auto& entry(const Known& known, const std::string& name, const char* path, Name name_of)
{
    const auto found = std::find_if(std::begin(known), std::end(known),
                                    [&](const auto& one) { return name_of(one) == name; });
    if (found != std::end(known))
        return *found;
    std::vector<std::string> names;
    for (const auto& one : known)
        names.emplace_back(name_of(one));
    const std::string closest = nearest(name, names);
    wrong(fmt::format("{}.{} is nothing that is known of a card{}", path, name.substr(0, 40),
                      closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest)));
}

const json& object(const json& file, const char* key)
{
    const json& found = member(file, key);
    if (!found.is_object())
        wrong(fmt::format("{} is not an object", key));
    return found;
}

/// The strings that a Card has views of.
struct Words
{
    std::string option, name, basis, doubt;
};

Card described(const json& file, Words& words)
{
    if (!file.is_object())
        wrong("it is not an object");
    if (member(file, "schema") != 1)
        wrong("its schema is not 1: ./run calibrate writes it anew");
    const std::string base_name = word(file, "base");
    const auto base = std::find_if(cards().begin(), cards().end(),
                                   [&](const Card& card) { return card.option == base_name; });
    if (base == cards().end())
        wrong("base: " + unknown_card(base_name));

    cpu_device::DeviceLimits own = base->limits;
    for (const auto& [key, value] : object(file, "limits").items()) {
        const Limit& limit =
            entry(known_limits, key, "limits", [](const Limit& one) { return one.name; });
        if (!value.is_number_unsigned() || value < 1 || value > limit.most)
            wrong(fmt::format("limits.{} is {}, which is not a whole number from 1 to {}", key,
                              shown(value), limit.most));
        own.*limit.value = value.get<int>();
    }
    own.persisting_l2_bytes = own.persisting_l2_bytes == 0 ? 0 : 10 * (own.l2_bytes / 16);

    Card card = with_limits(*base, own, static_cast<double>(own.l2_bytes) / base->limits.l2_bytes);
    if (card.peak() < 1)
        wrong("the peak of its memory, by limits.memory_clock_khz and limits.memory_bus_bits, is "
              "below 1 GB/s");
    for (const auto& [key, told] : object(file, "constants").items()) {
        const auto& constant =
            entry(known_constants, key, "constants", [](const auto& one) { return one.first; });
        const json& value = told.is_object() ? member(told, "value") : told;
        if (!value.is_number() || !(value.get<double>() > 0) ||
            value.get<double>() > most_of_a_constant)
            wrong(fmt::format("constants.{} is {}, which is not a number above 0", key,
                              shown(value)));
        card.*constant.second = value.get<double>();
    }

    const std::string measured = word(file, "card");
    const std::string when = word(file, "date");
    words.name = measured + " (calibrated)";
    words.basis = fmt::format("calibrated on {}, {}; what was not measured there is {}'s", measured,
                              when, base->name);
    words.doubt = fmt::format("Calibrated on {}, {}.", measured, when);
    if (const auto error = file.find("error"); error != file.end()) {
        const json& rows = member(*error, "rows");
        const json& median = member(*error, "median");
        const json& ninth = member(*error, "ninth_decile");
        if (!rows.is_number_unsigned() || !median.is_number() || !ninth.is_number())
            wrong("error has not three numbers: rows, median, ninth_decile");
        words.doubt += fmt::format(" Of {} rows of the book that gave no figure of it half were "
                                   "off by at most {:.1f} %, nine of ten by at most {:.1f} %.",
                                   rows.get<std::uint64_t>(), 100 * median.get<double>(),
                                   100 * ninth.get<double>());
    } else {
        words.doubt += " How far off they are was not compared: ./run calibrate --error does.";
    }
    return card;
}

} // namespace

bool names_card_file(std::string_view card)
{
    return card.find('/') != std::string_view::npos || card.ends_with(".json");
}

const Card& card_from_json(const std::string& text, const std::string& path)
{
    static std::list<Words> kept; // of all cards that were read
    const auto refuse = [&](const std::string& why) {
        return CardError(fmt::format("{} is not a card file: {}{}", path, why,
                                     why.ends_with('.') || why.ends_with('?') ? "" : "."));
    };
    try {
        Words& words = kept.emplace_back();
        Card card = described(json::parse(text), words);
        words.option = path;
        card.option = words.option;
        card.name = words.name;
        card.basis = words.basis;
        card.doubt = words.doubt;
        return add_card(card);
    } catch (const CardError& error) {
        throw refuse(error.what());
    } catch (const json::parse_error& error) {
        throw refuse(fmt::format("it stops being JSON at byte {} of {}", error.byte, text.size()));
    } catch (const json::exception& error) {
        throw refuse(error.what());
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
