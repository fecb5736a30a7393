#include "common/model/model_error.hpp"

#include "common/model/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace common {

namespace {

constexpr std::string_view measured_card = "H200"; ///< Card::name
constexpr std::string_view nobody_knows = "Nobody knows how far off they are.";

constexpr auto known = std::to_array<ModelError>({
#include "common/model/model_errors.inc"
});

/// What nine in ten rows of the book with that limit are off; of all rows where none has it.
double usual_distance(std::string_view limited_by)
{
    const ModelError* error = model_error(Kernels::the_book, limited_by);
    return (error == nullptr ? model_error(Kernels::the_book, "") : error)->ninth_decile;
}

/// That a chapter's rows are farther off than rows with these limits typically are; nothing where
/// they are not.
std::string farther_off(std::string_view chapter, const std::vector<std::string>& limits)
{
    const ModelError* error =
        chapter.empty() ? nullptr : model_error(Kernels::the_book, "", chapter);
    double usual = 0;
    for (const std::string& limit : limits)
        usual = std::max(usual, usual_distance(limit));
    if (error == nullptr || error->ninth_decile <= usual)
        return "";
    return error->rows == 1
               ? fmt::format(" This chapter's one measured row is farther off: by {:.1f} %.",
                             100 * error->median)
               : fmt::format(
                     " This chapter's rows are farther off: by {:.1f} % (median of {}; nine "
                     "of ten within {:.1f} %).",
                     100 * error->median, error->rows, 100 * error->ninth_decile);
}

} // namespace

const ModelError* model_error(Kernels kernels, std::string_view limited_by,
                              std::string_view chapter)
{
    const auto* found = std::find_if(known.begin(), known.end(), [&](const ModelError& error) {
        return error.kernels == kernels && error.limited_by == limited_by &&
               error.chapter == chapter;
    });
    return found == known.end() ? nullptr : found;
}

std::string typical_errors(Kernels kernels, std::vector<std::string> limits, std::string_view card,
                           std::string_view chapter)
{
    if (const Card* known = card_named(card); known == nullptr || !known->doubt.empty())
        return std::string(known == nullptr ? nobody_knows : known->doubt);
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    const bool of_the_book = kernels == Kernels::the_book;
    const char* const rows = of_the_book ? "row" : "time";
    std::vector<std::string> parts;
    for (const std::string& limit : limits) {
        const ModelError* error = model_error(kernels, limit);
        if (error == nullptr)
            parts.push_back(fmt::format("unknown where {} limits", limit));
        else if (error->rows == 1)
            parts.push_back(fmt::format("{:.1f} % where {} limits (one measured {})",
                                        100 * error->median, limit, rows));
        else
            parts.push_back(fmt::format("{:.1f} % where {} limits (median of {} measured {}s; "
                                        "nine of ten within {:.1f} %)",
                                        100 * error->median, limit, error->rows, rows,
                                        100 * error->ninth_decile));
    }
    return fmt::format("{} off by {}.{}",
                       of_the_book ? "Typically they are"
                                   : "Of kernels that it had not seen the model was typically",
                       fmt::join(parts, ", "), farther_off(chapter, limits));
}

bool tells_apart(double fast_ms, std::string_view fast_limit, double slow_ms,
                 std::string_view slow_limit, std::string_view card)
{
    const double off = std::max(usual_distance(fast_limit), usual_distance(slow_limit));
    return card == measured_card && slow_ms > fast_ms * (1 + off);
}

} // namespace common
