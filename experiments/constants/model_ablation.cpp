// model_ablation FILE [CARD]: what each constant of the time model earns. FILE is
// tests/model/demands.csv. With CARD, a file, it prints how near the H200's rows come by that one.
// For each, the errors of the model without it: a time or a share is 0 then, and a unit with that
// rate needs no time. A term stays if nine of ten rows, of the book or of the blind sets, are
// nearer by at least a point for it.
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "tests/model/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using common::Card;

/// The constants without which the model has a term less.
constexpr std::string_view terms[] = {
    "launch_rate",    "launch_ns", "block_ns", "warp_ns",       "dimension_ns",   "dram_ns",
    "l2_ns",          "l1_ns",     "line_ns",  "read_queue_ns", "mixed_queue_ns", "rw_turnaround",
    "row_open_bytes", "l2_return", "l2_read",  "l2_request",    "l2_packet",      "l2_write",
    "l2_partial",     "l2_fill",   "lsu_rate", "constant_rate", "slice_atomics",  "atomics"};

double Card::*constant(std::string_view name)
{
    return std::ranges::find(common::card_constants, name,
                             [](const auto& one) { return one.first; })
        ->second;
}

/// The GPU with each constant a little smaller or larger, one after the other, where that brings
/// the book's rows nearer.
Card refitted(const std::vector<accuracy::Row>& rows)
{
    constexpr double step = 0.05;
    const auto off = [&rows](const Card& card) {
        double sum = 0;
        for (const accuracy::Row& row : rows)
            sum += std::abs(std::log(accuracy::modelled_ms(row, card) / row.measured_ms));
        return sum;
    };
    Card best = *common::find_card("h200");
    double least = off(best);
    for (const std::string_view term : terms)
        for (const double factor : {1 - step, 1 + step}) {
            Card tried = best;
            tried.*constant(term) *= factor;
            if (const double now = off(tried); now < least) {
                least = now;
                best = tried;
            }
        }
    return best;
}

/// The errors of each chapter of the book by constants that were fitted to all others.
void leave_one_chapter_out(const std::vector<accuracy::Row>& all)
{
    std::map<std::string, std::vector<accuracy::Row>> chapters;
    for (const accuracy::Row& row : all)
        if (row.set == "h200" && row.bytes >= common::small_launch_bytes)
            chapters[row.name.substr(0, 2)].push_back(row);
    std::vector<double> factors;
    for (const auto& [left_out, rows] : chapters) {
        std::vector<accuracy::Row> others;
        for (const auto& [name, more] : chapters)
            if (name != left_out)
                others.insert(others.end(), more.begin(), more.end());
        const Card card = refitted(others);
        for (const accuracy::Row& row : rows)
            factors.push_back(accuracy::factor(row, card));
    }
    const accuracy::Errors found = accuracy::errors(std::move(factors));
    fmt::print(
        "| (nothing, each chapter by constants fitted to the others) | {:.3f} | {:.3f} | | | | |\n",
        found.median, found.ninth_decile);
}

bool is_rate(std::string_view name)
{
    return name.ends_with("_rate") || name == "atomics" || name == "slice_atomics";
}

} // namespace

int main(int argc, char** argv)
try {
    if (argc != 2 && argc != 3) {
        fmt::print(stderr, "model_ablation FILE [CARD]: FILE is tests/model/demands.csv.\n");
        return 2;
    }
    const std::vector<accuracy::Row> rows = accuracy::read(argv[1]);
    if (argc == 3) {
        const accuracy::Errors found =
            errors(rows, "h200", common::read_card_file(argv[2]), common::small_launch_bytes);
        fmt::print("{:.3f} {:.3f}\n", found.median, found.ninth_decile);
        return 0;
    }
    const auto line = [&rows](std::string_view name, double Card::*term, double value) {
        const auto without = [&](std::string_view option) {
            Card card = *common::find_card(option);
            if (term != nullptr)
                card.*term = value;
            return card;
        };
        const accuracy::Errors found[] = {
            errors(rows, "h200", without("h200"), common::small_launch_bytes),
            errors(rows, "h100", without("h100"), common::small_launch_bytes),
            errors(rows, "", without("h200"))};
        fmt::print("| {} |", name);
        for (const accuracy::Errors& one : found)
            fmt::print(" {:.3f} | {:.3f} |", one.median, one.ninth_decile);
        fmt::print("\n");
    };
    fmt::print(
        "| without | H200: median | nine of ten | H100: median | nine of ten | unseen: median | "
        "nine of ten |\n| :-- | --: | --: | --: | --: | --: | --: |\n");
    line("(nothing)", nullptr, 0);
    leave_one_chapter_out(rows);
    for (const std::string_view term : terms)
        line(term, constant(term), is_rate(term) ? 1e12 : 0);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
