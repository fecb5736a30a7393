#include "common/report/common_values.hpp"
#include "common/report/remarks.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

namespace common {

namespace {

/// Where the rates of the card of that name come from.
std::string_view basis(std::string_view card)
{
    for (const Card& known : cards())
        if (known.name == card)
            return known.basis;
    return "of a card that is not known here";
}

} // namespace

std::string timelines(const Results& results, std::size_t width)
{
    constexpr std::size_t most = 9;
    std::size_t drawn = 0;
    std::size_t left = 0;
    std::string card;
    std::string text;
    for (const Row& row : results.rows) {
        if (!row.modelled || row.modelled->bars.size() < 3)
            continue;
        if (drawn == most) {
            ++left;
            continue;
        }
        ++drawn;
        card = row.modelled->card;
        text += "\n" +
                line(fmt::format("{}, modelled on {}: {:.4f} ms", label(row, results),
                                 row.modelled->card, row.modelled->ms),
                     width) +
                draw(*row.modelled, width);
        if (row.modelled->left_out > 0)
            text += line(fmt::format("The last {} bars are not drawn.",
                                     format_count(row.modelled->left_out)),
                         width);
    }
    if (left > 0)
        text +=
            "\n" + line(fmt::format("{} more timelines are not drawn; --variant NAME shows one, "
                                    "--json FILE has all.",
                                    left),
                        width);
    if (drawn > 0)
        text += "\n" +
                line(fmt::format("Nothing of this was timed: the bars are what a model makes of "
                                 "the calls and of the rates of {} ({}). A figure is the number "
                                 "of the stream (0 the default stream), # the host's work, a dot "
                                 "is idle.",
                                 card, basis(card)),
                     width);
    return text;
}

} // namespace common
