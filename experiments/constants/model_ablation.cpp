// model_ablation FILE [CARD]: what each constant of the time model earns. FILE is
// tests/model/demands.csv. With CARD, a file, it prints how near the H200's rows come by that one.
// For each, the errors of the model without it: a time or a share is 0 then, and a unit with that
// rate needs no time. A term stays if nine of ten rows, of the book or of the blind sets, are
// nearer by at least a point for it.
#include "common/model/card_constants.hpp"
#include "common/model/card_file.hpp"
#include "common/model/model_error.hpp"
#include "tests/model/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace {

using common::Card;

/// Conventions and what other models take.
constexpr std::string_view no_terms[] = {"block_warps", "limiting_share", "turn_most", "dram_rate"};

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
    const auto line = [&rows](std::string_view name, double Card::*constant, double value) {
        const auto without = [&](std::string_view option) {
            Card card = *common::find_card(option);
            if (constant != nullptr)
                card.*constant = value;
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
    const auto begin =
        std::ranges::find(common::card_constants, "launch_rate", &common::CardConstant::name);
    for (const auto* one = begin; one != std::end(common::card_constants); ++one)
        if (std::ranges::find(no_terms, one->name) == std::end(no_terms))
            line(one->name, one->value, is_rate(one->name) ? 1e12 : 0);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
