/// \file
/// What a program made by answers.py does: checks answers whose fate is known.
#pragma once

#include "common/exercise.hpp"
#include "common/exercise/check.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// An answer, and what has to become of it.
struct KnownAnswer
{
    std::string_view exercise; ///< its number
    std::string_view name;
    std::string_view missed; ///< the goal that rejects it; empty for the solution
    common::Goals goals;
    std::string_view* current; ///< where the answer that the goals try is named
};

/// `PROGRAM NUMBER [--quick]`: checks the answers to that exercise. Status 1 if one is accepted
/// that should not be, or rejected by another goal than it should.
inline int check_answers(int argc, char** argv, const std::vector<KnownAnswer>& answers)
{
    const std::string_view number = argc > 1 ? argv[1] : "";
    const bool quick = argc > 2 && std::string_view(argv[2]) == "--quick";
    int checked = 0;
    bool fine = true;
    for (const KnownAnswer& answer : answers) {
        if (answer.exercise != number)
            continue;
        ++checked;
        *answer.current = answer.name;
        const common::Outcome outcome = common::check_answer(answer.goals, {.quick = quick});
        const common::Goal* const missed = outcome.first_missed();
        const std::string_view name = missed == nullptr ? "" : std::string_view(missed->name);
        fine = fine && name == answer.missed;
        fmt::print("{}{}: {}\n", name == answer.missed ? "" : "WRONGLY JUDGED ", answer.name,
                   missed == nullptr ? "accepted" : name);
        if (missed != nullptr)
            fmt::print("    {}\n", missed->evidence);
        if (name != answer.missed)
            fmt::print("    It should {}.\n", answer.missed.empty()
                                                  ? "be accepted"
                                                  : fmt::format("miss '{}'", answer.missed));
        std::fflush(stdout);
    }
    return checked > 0 && fine ? 0 : 1;
}
