/// \file
/// A check of one answer, linked to that answer and to the goals of its exercise. Prints the goals,
/// what became of each, and the evidence of the first one missed. Exit status: 0 all held, 1 one is
/// missed.
#include "common/exercise/check.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

/// Of the exercise.
void goals(common::Attempt& attempt);

namespace {

constexpr int cannot_report = 2;

/// `text` at most as wide as the terminal, or 100 columns, behind `margin` blanks.
std::string paragraph(const std::string& text, std::size_t margin)
{
    const std::size_t width = std::min<std::size_t>(100, common::output_width());
    const std::string indent(margin, ' ');
    std::string lines = indent + common::wrap(text, width > margin + 20 ? width - margin : 20);
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += margin + 1)
        lines.insert(at + 1, indent);
    return lines + "\n";
}

std::string line_of(const common::Goal& goal)
{
    using State = common::Goal::State;
    const char* const mark = goal.state == State::held     ? "ok    "
                             : goal.state == State::missed ? "MISSED"
                                                           : "-     ";
    std::string text = goal.text;
    if (goal.state != State::missed && !goal.evidence.empty())
        text += fmt::format(" ({})", goal.evidence);
    const std::string before = fmt::format("  {} ", mark);
    return paragraph(text, before.size()).replace(0, before.size(), before);
}

std::string page(const common::Outcome& outcome)
{
    std::string text = outcome.shown.empty() ? "" : outcome.shown + "\n";
    const common::Goal* const missed = outcome.first_missed();
    bool after = false;
    text += "Your answer\n";
    for (const common::Goal& goal : outcome.goals) {
        common::Goal shown = goal;
        if (after) // what comes after a miss is not the reader's next concern
            shown = {goal.name, goal.text};
        text += line_of(shown);
        after = after || &goal == missed;
    }
    if (missed != nullptr)
        text += fmt::format("\n{}", paragraph(missed->evidence, 2));
    return text;
}

} // namespace

int main()
{
    try {
        const common::Outcome outcome = common::check_answer(goals);
        if (!common::print(page(outcome)))
            return cannot_report;
        return outcome.first_missed() == nullptr ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return cannot_report;
    }
}
