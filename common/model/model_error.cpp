#include "common/model/model_error.hpp"

#include "common/model/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace common {

const ModelError& model_error(Kernels kernels)
{
    static constexpr ModelError known[] = {
#include "common/model/model_errors.inc"
    };
    return *std::ranges::find(known, kernels, &ModelError::kernels);
}

std::string typical_errors(std::string_view card)
{
    const Card* const found = find_card(card);
    if (found == nullptr)
        return "Their error is unknown.";
    if (!found->doubt.empty())
        return found->doubt;
    const ModelError& error = model_error(Kernels::unseen);
    return fmt::format("Error for kernels not used to fit the model: half within a factor of "
                       "{:.1f}, 90 % within {:.1f}.",
                       error.median, error.ninth_decile);
}

std::string two_digits(double number)
{
    constexpr double small = 10;
    if (number < small)
        return fmt::format("{:.2g}", number);
    const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
    return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

std::string with_range(double ms, Kernels kernels)
{
    const double factor = model_error(kernels).ninth_decile;
    return fmt::format("{} ({} to {})", two_digits(ms), two_digits(ms / factor),
                       two_digits(ms * factor));
}

} // namespace common
