#include "common/model/model_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace common {

namespace {

constexpr std::string_view measured_card = "H200"; ///< Card::name
constexpr std::string_view nobody_knows =
    "No row was measured on this card: nobody knows how far off they are.";

constexpr auto known = std::to_array<ModelError>({
#include "common/model/model_errors.inc"
});

} // namespace

const ModelError* model_error(std::string_view limited_by)
{
    const auto* found = std::find_if(known.begin(), known.end(), [&](const ModelError& error) {
        return error.limited_by == limited_by;
    });
    return found == known.end() ? nullptr : found;
}

std::string error_at_first_sight(std::string_view card)
{
    if (card != measured_card)
        return std::string(nobody_knows);
    const ModelError& error = *model_error("");
    return fmt::format("Of {} kernels that the model had never been held against, half were within "
                       "{:.1f} % of the measured time, and nine of ten within {:.1f} %.",
                       error.rows, 100 * error.median, 100 * error.ninth_decile);
}

std::string typical_errors(std::vector<std::string> limits, std::string_view card)
{
    if (card != measured_card)
        return std::string(nobody_knows);
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    std::vector<std::string> parts;
    for (const std::string& limit : limits) {
        const ModelError* error = model_error(limit);
        if (error == nullptr)
            parts.push_back(fmt::format("unknown where {} limits", limit));
        else if (error->rows == 1)
            parts.push_back(fmt::format("{:.1f} % where {} limits (one measured row)",
                                        100 * error->median, limit));
        else
            parts.push_back(fmt::format("{:.1f} % where {} limits (median of {} measured rows; "
                                        "nine of ten within {:.1f} %)",
                                        100 * error->median, limit, error->rows,
                                        100 * error->ninth_decile));
    }
    return fmt::format("Typically they are off by {}.", fmt::join(parts, ", "));
}

} // namespace common
