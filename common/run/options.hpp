/// \file
/// The options that all chapters share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// A command line that cannot be obeyed. what() is a sentence that names the value and the remedy.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Which cache states to measure.
enum class CacheChoice
{
    cold,
    hot,
    both
};

/// `"cold"`, `"hot"`, `"both"`.
[[nodiscard]] const char* name(CacheChoice choice);

/// What --quick gives each row of the table.
inline constexpr double quick_seconds = 0.2;

/// The command line of a chapter.
struct Options
{
    std::optional<std::size_t> n;           ///< --n: elements of an array
    std::vector<std::string> variants = {}; ///< --variant: only these; empty for all
    CacheChoice cache = CacheChoice::cold;  ///< --cache
    std::optional<double> max_seconds;      ///< --max-time: for each row of the table
    std::uint64_t seed = 1;                 ///< --seed
    std::string json;                       ///< --json: a file to write, empty for none
    std::string csv;                        ///< --csv: a file to write, empty for none
    bool list = false;                      ///< --list
    bool quick = false;                     ///< --quick
    bool full = false;                      ///< --full
    bool usual = false;                     ///< --usual
    std::optional<std::uint64_t> round;     ///< --round: a seed
    bool launch_once = false;               ///< --launch-once
    bool energy = false;                    ///< --energy
    bool no_model = false;                  ///< --no-model
    int gpu = 0;                            ///< --gpu
    std::optional<int> devices;             ///< --devices
    std::string card;                       ///< --card: Card::option, of modelled times
    std::string help;                       ///< the text to print, if --help was given

    /// Most seconds for each row: --max-time, or those of --quick, or the usual ones.
    [[nodiscard]] double seconds_per_row() const;
};

/// Most elements that --n accepts, 2^36: more than any GPU holds, and few enough for a grid.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 36U;

/// Reads the command line of `chapter`. Throws UsageError. Opens no device, and no file
/// but that of --card.
[[nodiscard]] Options parse_options(std::string_view chapter, int argc, const char* const* argv);

/// A number of elements: `1000003`, `1e6`, `2^27`, `64Ki`, `64Mi`, `1Gi`. Throws UsageError unless
/// it is a whole number from 1 to max_elements.
[[nodiscard]] std::size_t parse_elements(std::string_view text);

/// The sentence for a variant that is not in `known`, with the nearest that is and the list.
[[nodiscard]] std::string unknown_variant(std::string_view name,
                                          const std::vector<std::string>& known);

} // namespace common
