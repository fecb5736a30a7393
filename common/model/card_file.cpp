#include "common/model/card_file.hpp"

#include "common/model/card_constants.hpp"
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

/// What a file may have of the limits, with the most that is believed.
struct Limit
{
    std::string_view name;
    void (*set)(cpu_device::DeviceLimits& limits, int value);
    int least;
    int most;
};

#define LIMIT(name, least, most)                                                                   \
    Limit                                                                                          \
    {                                                                                              \
#name, [](cpu_device::DeviceLimits & limits,                                               \
                  int value) { limits.name = static_cast<decltype(limits.name)>(value); }, least,  \
                                                                                        most       \
    }

constexpr Limit known_limits[] = {
    LIMIT(multiprocessors, 1, 1024),
    LIMIT(l2_bytes, 1, 1 << 30),
    LIMIT(clock_khz, 1, 10'000'000),
    LIMIT(memory_clock_khz, 1, 100'000'000),
    LIMIT(memory_bus_bits, 1, 1 << 16),
    LIMIT(max_threads_per_multiprocessor, 1024, 1 << 16),
    LIMIT(max_blocks_per_multiprocessor, 1, 1 << 10),
    LIMIT(shared_bytes_per_multiprocessor, 48 << 10, 1 << 30),
    LIMIT(shared_bytes_per_block_optin, 48 << 10, 1 << 30),
    LIMIT(reserved_shared_bytes_per_block, 0, 1 << 16),
    LIMIT(persisting_l2_bytes, 0, 1 << 30),
    LIMIT(access_policy_window_bytes, 0, 1 << 30),
    LIMIT(copy_engines, 1, 16),
};

#undef LIMIT

constexpr double least_of_a_constant = 1e-9; // those of GPUs are from 1e-4 to 4e7
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
std::string word(const json& object, const char* key, std::size_t most = 80)
{
    const json& value = member(object, key);
    std::string text = value.is_string() ? value.get<std::string>() : "";
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (text.empty() || text.size() > most || !plain)
        wrong(fmt::format("{} is not a text of 1 to {} ASCII characters", key, most));
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
    wrong(fmt::format("{}.{} is nothing that is known of a GPU{}", path, name.substr(0, 40),
                      closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest)));
}

const json& object(const json& file, const char* key)
{
    const json& found = member(file, key);
    if (!found.is_object())
        wrong(fmt::format("{} is not an object", key));
    return found;
}

/// What a Card has views of.
struct Words
{
    std::string option, name, basis, doubt;
    std::vector<std::size_t> carve_outs_kib;
};

/// A size of a cache, which may be left out: the base's.
std::size_t size(const json& file, const char* key, std::size_t otherwise)
{
    const auto found = file.find(key);
    if (found == file.end())
        return otherwise;
    constexpr std::size_t most = std::size_t{1} << 30U;
    if (!found->is_number_unsigned() || *found < 1 || *found > most)
        wrong(fmt::format("{} is {}, which is not a whole number from 1 to {}", key, shown(*found),
                          most));
    return found->get<std::size_t>();
}

/// Where the figures of a GPU come from and how far off its times are, in words: what
/// ./run calibrate has written, or as the files of the GPUs that are built in have them.
void tell(const json& file, const Card& base, Words& words)
{
    if (file.contains("basis")) {
        words.name = word(file, "name");
        words.basis = word(file, "basis", 400);
        words.doubt = member(file, "doubt") == json("") ? "" : word(file, "doubt", 400);
        return;
    }
    const std::string measured = word(file, "card");
    const std::string when = word(file, "date");
    words.name = measured + " (calibrated)";
    words.basis = fmt::format("calibrated on {}, {}; what was not measured there is {}'s", measured,
                              when, base.name);
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
}

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
        if (!value.is_number_unsigned() || value < limit.least || value > limit.most)
            wrong(fmt::format("limits.{} is {}, which is not a whole number from {} to {}", key,
                              shown(value), limit.least, limit.most));
        limit.set(own, value.get<int>());
    }

    const double more_l2 = static_cast<double>(own.l2_bytes) / base->limits.l2_bytes;
    const auto slices = static_cast<double>(size(file, "l2_slices", 0));
    Card card = with_limits(*base, own, slices > 0 ? slices / base->l2_slices : more_l2);
    card.l1_bytes = size(file, "l1_bytes", base->l1_bytes);
    if (file.contains("carve_outs_kib")) {
        words.carve_outs_kib = file["carve_outs_kib"].get<std::vector<std::size_t>>();
        card.carve_outs_kib = words.carve_outs_kib;
    }
    if (card.peak() < 1)
        wrong("the peak of its memory, by limits.memory_clock_khz and limits.memory_bus_bits, is "
              "below 1 GB/s");
    for (const auto& [key, told] : object(file, "constants").items()) {
        const auto& constant =
            entry(card_constants, key, "constants", [](const auto& one) { return one.name; });
        const json& value = told.is_object() ? member(told, "value") : told;
        if (!value.is_number() || !(value.get<double>() >= least_of_a_constant) ||
            value.get<double>() > most_of_a_constant)
            wrong(fmt::format("constants.{} is {}, which is not a number from {:g} to {:g}", key,
                              shown(value), least_of_a_constant, most_of_a_constant));
        card.*constant.value = value.get<double>();
    }

    tell(file, *base, words);
    return card;
}

} // namespace

bool names_card_file(std::string_view card)
{
    return card.find('/') != std::string_view::npos || card.ends_with(".json");
}

const Card& card_from_json(const std::string& text, const std::string& path)
{
    static std::list<Words> kept; // of all GPUs that were read
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
