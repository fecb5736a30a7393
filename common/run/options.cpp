#include "common/run/options.hpp"

#include "common/device/statistics.hpp"
#include "common/model/card.hpp"
#include "common/text/format.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace common {

namespace {

/// A value as it was typed; one without characters in quotes, so that it can be seen.
std::string_view shown(std::string_view value)
{
    return value.empty() ? "''" : value;
}

constexpr std::string_view forms = "write it as 1000003, 1e6, 2^27, 64Ki, 64Mi or 1Gi";

/// A number at the start of `text`, which is moved past it. `what` is for the message.
double take_number(std::string_view& text, std::string_view what)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // from_chars accepts "inf" and "nan" as well.
    const bool digits = !text.empty() && text.find_first_of("0123456789") < 2;
    if (error == std::errc::result_out_of_range && digits)
        value = std::strtod(std::string(text.data(), end).c_str(), nullptr); // 0, or HUGE_VAL
    else if (error != std::errc{} || !digits)
        throw UsageError(
            fmt::format("--n {} is not a number of elements; {}.", shown(what), forms));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

} // namespace

std::size_t parse_elements(std::string_view text)
{
    std::string_view rest = text;
    double value = take_number(rest, text);
    if (!rest.empty() && rest.front() == '^') {
        rest.remove_prefix(1);
        value = std::pow(value, take_number(rest, text));
    }
    if (rest == "Ki")
        value *= 1024.0;
    else if (rest == "Mi")
        value *= 1024.0 * 1024.0;
    else if (rest == "Gi")
        value *= 1024.0 * 1024.0 * 1024.0;
    else if (!rest.empty())
        throw UsageError(fmt::format("--n {} is not a number of elements; {}.", text, forms));

    if (value <= 0)
        throw UsageError(
            fmt::format("--n {} is too few: an array has at least 1 element; {}.", text, forms));
    if (value > static_cast<double>(max_elements))
        throw UsageError(
            fmt::format("--n {} is too many: the limit is 64Gi (2^36) elements; choose "
                        "what fits the device's memory, such as 64Mi.",
                        text));
    if (value != std::floor(value))
        throw UsageError(fmt::format("--n {} is not a whole number of elements; {}.", text, forms));
    return static_cast<std::size_t>(value);
}

namespace {

CacheChoice parse_cache(std::string_view text)
{
    for (const CacheChoice choice : {CacheChoice::cold, CacheChoice::hot, CacheChoice::both})
        if (text == name(choice))
            return choice;
    throw UsageError(fmt::format("--cache {} must be cold, hot or both.", shown(text)));
}

double parse_seconds(std::string_view text)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    constexpr double limit = 3600;
    if (result.ec != std::errc{} || result.ptr != end || !(value > 0) || value > limit)
        throw UsageError(fmt::format("--max-time {} is not a time: give seconds per row of the "
                                     "table, above 0 and at most {}, such as 0.5.",
                                     shown(text), limit));
    return value;
}

/// A GPU as typed: the option of one that there is, or a file that describes one.
std::string parse_card(const std::string& text)
{
    if (names_card_file(text)) {
        try {
            return read_card_file(text).option;
        } catch (const CardError& error) {
            throw UsageError(error.what());
        }
    }
    if (find_card(text) == nullptr)
        throw UsageError(unknown_card(text));
    return text;
}

/// Has CLI11 store what `read` makes of the words that an option is given, or refuse them with the
/// sentence of the UsageError that it throws.
template<class Read>
CLI::Validator read_by(Read read)
{
    const auto check = [read](std::string& words) -> std::string {
        try {
            words = fmt::format("{}", read(words));
            return {};
        } catch (const UsageError& error) {
            return error.what();
        }
    };
    return {check, ""};
}

/// A whole number from 0 to `limit`.
template<class T>
CLI::Validator whole_number(const char* option, T limit)
{
    return read_by([=](std::string_view text) {
        T value = 0;
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (result.ec != std::errc{} || result.ptr != end || value < 0 || value > limit)
            throw UsageError(fmt::format("{} {} is not a whole number from 0 to {}.", option,
                                         shown(text), limit));
        return value;
    });
}

/// The name of a file that is to be written.
CLI::Validator file_name(const char* option)
{
    return read_by([=](const std::string& file) {
        if (file.empty())
            throw UsageError(
                fmt::format("{} needs a file name, such as results.{}.", option, option + 2));
        return file;
    });
}

/// What is written would take the place of the other one, which is written or read.
void require_two_files(std::string_view option, const std::string& written, std::string_view with,
                       const std::string& other)
{
    namespace fs = std::filesystem;
    std::error_code ignored; // an empty path: it cannot be written either, and is refused for that
    const auto place = [&](const std::string& file) {
        return fs::weakly_canonical(fs::absolute(file, ignored), ignored);
    };
    const bool same_inode =
        fs::is_regular_file(other, ignored) && fs::equivalent(written, other, ignored);
    if (const fs::path target = place(written);
        same_inode || (!target.empty() && target == place(other)))
        throw UsageError(fmt::format("{} {} and {} {} are the same file; name two "
                                     "different files.",
                                     option, written, with, other));
}

std::vector<std::string> option_names(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

[[noreturn]] void throw_unknown(const CLI::App& app, const std::string& argument)
{
    if (argument.empty() || argument.front() != '-')
        throw UsageError(fmt::format("'{}' is not an option; a value follows its option, as in "
                                     "--n 64Mi.",
                                     argument));
    const std::string flag = argument.substr(0, argument.find('='));
    const std::string closest = nearest(flag, option_names(app));
    throw UsageError(closest.empty()
                         ? fmt::format("There is no option {}; --help lists them.", flag)
                         : fmt::format("There is no option {}; did you mean {}?", flag, closest));
}

} // namespace

namespace {

void add_options(CLI::App& app, Options& options, bool& help)
{
    app.set_help_flag();
    app.allow_extras();
    // Given twice, the last one counts.
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("--n", options.n, "Elements of an array: 1000003, 1e6, 2^27, 64Ki, 64Mi")
        ->type_name("ELEMENTS")
        ->transform(read_by(parse_elements));
    app.add_option("--variant", options.variants, "Run this variant only; may be repeated")
        ->type_name("NAME")
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->allow_extra_args(false);
    app.add_option("--cache", options.cache,
                   "State of the L2 cache before each launch: cold, hot or both")
        ->type_name("STATE")
        ->default_str("cold")
        ->transform(
            read_by([](std::string_view text) { return static_cast<int>(parse_cache(text)); }));
    app.add_option("--max-time", options.max_seconds, "GPU: longest time spent measuring one row")
        ->type_name("SECONDS")
        ->default_str(fmt::format("{}", MeasureOptions{}.max_seconds))
        ->transform(read_by(parse_seconds));
    app.add_option("--seed", options.seed, "Seed of the inputs, and of the CPU device's lane order")
        ->type_name("NUMBER")
        ->default_str(fmt::to_string(options.seed))
        ->transform(whole_number<std::uint64_t>("--seed", UINT64_MAX));
    app.add_option("--json", options.json, "Write the results to this file, as JSON")
        ->type_name("FILE")
        ->transform(file_name("--json"));
    app.add_option("--csv", options.csv, "Write the results to this file, as CSV")
        ->type_name("FILE")
        ->transform(file_name("--csv"));
    app.add_flag("--list", options.list, "List the variants; needs no GPU");
    app.add_flag("--full", options.full,
                 "GPU: all rows and sizes, not only those that the chapter discusses");
    app.add_flag("--usual", options.usual,
                 "GPU: with --variant, only the rows and sizes of a run without --full");
    app.add_flag("--quick", options.quick,
                 fmt::format("Smoke test: small arrays, at most {} s per row", quick_seconds));
    app.add_option("--round", options.round,
                   "A further round of ./run record: shuffles the rows by this seed, and verifies "
                   "none on a GPU, because the first round did")
        ->type_name("SEED")
        ->transform(whole_number<std::uint64_t>("--round", UINT64_MAX));
    app.add_flag("--launch-once", options.launch_once,
                 "GPU: launch each variant once, at the CPU device's sizes, for a profiler");
    app.add_flag(
        "--energy", options.energy,
        "GPU: also measures the energy per launch, 1.5 s more per row, for the file of --json");
    app.add_option(
           "--gpu", options.gpu,
           "GPU number in CUDA's order; with CUDA_DEVICE_ORDER=PCI_BUS_ID, that of nvidia-smi")
        ->type_name("INDEX")
        ->default_str(fmt::to_string(options.gpu))
        ->transform(whole_number("--gpu", 1023));
    app.add_option(
           "--devices", options.devices,
           "Devices that a multi-GPU chapter uses: all GPUs or fewer, up to 4 on the CPU device")
        ->type_name("NUMBER")
        ->transform(whole_number("--devices", 1024));
    app.add_option("--card", options.card,
                   fmt::format("CPU device: GPU to model times for: {}, or a FILE.json by ./run "
                               "calibrate",
                               fmt::join(card_options(), ", ")))
        ->type_name("NAME")
        ->default_str(options.card)
        ->transform(read_by(parse_card));
    app.add_flag("--no-model", options.no_model, "CPU device: counts only, without modelled times");
    app.add_flag("--help,-h", help, "Print this text");
    app.footer("Exit status: 0 all verified, 1 a variant computed something wrong, 2 usage,\n"
               "4 no usable GPU, 5 a CUDA error, 6 a kernel fault on the CPU device.");
}

} // namespace

Options parse_options(std::string_view chapter, int argc, const char* const* argv)
{
    Options options;
    options.card = card_options().front();
    bool help = false;
    CLI::App app("Runs every variant of this chapter, verifies each, and measures it on a GPU or "
                 "counts its memory transactions on the CPU device.",
                 std::string(chapter));
    add_options(app, options, help);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what(); // "--n: 1 required ELEMENTS missing"
        throw UsageError(fmt::format("{} needs a value; --help shows which.",
                                     message.substr(0, message.find_first_of(": "))));
    } catch (const CLI::ValidationError& error) {
        const std::string message = error.what(); // "--n: --n 0 is too few"
        throw UsageError(message.substr(message.find(": ") + 2));
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; --help lists the options.", error.what()));
    }
    if (help) {
        options.help = app.help();
        return options;
    }
    if (const auto extras = app.remaining(); !extras.empty())
        throw_unknown(app, extras.front());
    if (!options.json.empty() && !options.csv.empty())
        require_two_files("--json", options.json, "--csv", options.csv);
    if (names_card_file(options.card)) {
        require_two_files("--json", options.json, "--card", options.card);
        require_two_files("--csv", options.csv, "--card", options.card);
    }
    return options;
}

const char* name(CacheChoice choice)
{
    constexpr const char* names[] = {"cold", "hot", "both"};
    return names[static_cast<std::size_t>(choice)];
}

double Options::seconds_per_row() const
{
    return max_seconds.value_or(quick ? quick_seconds : MeasureOptions{}.max_seconds);
}

std::string unknown_variant(std::string_view name, const std::vector<std::string>& known)
{
    const std::string closest = nearest(name, known);
    return fmt::format("There is no variant '{}'{} This chapter has {}.", name,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(known));
}

} // namespace common
