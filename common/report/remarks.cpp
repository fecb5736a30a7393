#include "common/report/remarks.hpp"

#include "common/measure/model_error.hpp"
#include "common/report/common_values.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace common {

namespace {

/// Where modelled times come from, and why some rows have none.
std::string about_model(const Results& results, std::size_t width)
{
    std::string text;
    const auto modelled =
        std::find_if(results.rows.begin(), results.rows.end(),
                     [](const Row& row) { return row.modelled && row.modelled->traffic; });
    if (modelled != results.rows.end()) {
        const std::string& card = modelled->modelled->card;
        const std::optional<std::uint64_t> n = common_modelled_n(results);
        const std::string size =
            n ? fmt::format("at n = {}", format_count(*n))
            : modelled_as_run(results)
                ? "at the n of each row"
                : "at the sizes in the column modelled n, that of the run where a link decides";
        std::vector<std::string> limits;
        for (const Row& row : results.rows)
            if (row.modelled && row.modelled->traffic)
                limits.push_back(row.modelled->limited_by);
        text += line(fmt::format("Nothing was timed: ms and GB/s are what a model says of {} {} "
                                 "(--card, --no-model). {} "
                                 "book/how_we_model.md says how they are made.",
                                 card, size, typical_errors(std::move(limits), card)),
                     width);
    }
    std::vector<std::string> told;
    for (const Row& row : results.rows) {
        if (row.unmodelled.empty() || results.device.backend == "gpu" ||
            std::find(told.begin(), told.end(), row.unmodelled) != told.end())
            continue;
        told.push_back(row.unmodelled);
        std::vector<std::string> names;
        for (const Row& other : results.rows) {
            const bool always = !any(
                results, [&](const Row& r) { return r.variant == other.variant && r.modelled; });
            const std::string name = always ? other.variant : label(other, results);
            if (other.unmodelled == row.unmodelled &&
                std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        }
        text += line(fmt::format("No modelled time of {}: {}.", format_list(names), row.unmodelled),
                     width);
    }
    return text;
}

} // namespace

std::string remarks(const Results& results, std::size_t width)
{
    std::string text;
    for (const Row& row : results.rows)
        if (row.verified == false)
            text += line(fmt::format("FAILED {}: {}", label(row, results), row.note), width);
    for (const Row& row : results.rows) {
        if (!row.in_l2)
            continue;
        const std::string cache =
            results.device.l2_bytes && *results.device.l2_bytes > 0
                ? fmt::format(", {:.2f} of the {} L2 cache",
                              static_cast<double>(row.bytes) /
                                  static_cast<double>(*results.device.l2_bytes),
                              format_bytes(*results.device.l2_bytes))
                : "";
        text += line(fmt::format("* in L2: {} works on {}{}; memory alone cannot be this fast.",
                                 label(row, results), format_bytes(row.bytes), cache),
                     width);
    }
    text += about_model(results, width);
    if (any(results, [](const Row& row) { return row.counts && row.counts->divergent_warps > 0; }))
        text += line("Where the lanes of a warp did not all do the same (a divergent warp), a "
                     "GPU's counts can differ by a few requests.",
                     width);
    return text;
}

} // namespace common
