/// \file
/// What a program made by answers.py does: checks answers whose fate is known.
#pragma once

#include "common/exercise/check.hpp"

#include <span>
#include <string_view>

/// An answer, and what has to become of it.
struct KnownAnswer
{
    std::string_view exercise; ///< its number
    std::string_view name;
    std::string_view missed;         ///< the goal or goals, "order|right", that may reject it
    bool by_chance;                  ///< on a GPU it may hold all the same
    void (*goals)(common::Attempt&); ///< a common::Goals, which nvcc cannot make of some of them
    std::string_view* current;       ///< where the answer that the goals try is named
};

/// `PROGRAM NUMBER`: checks the answers to that exercise. Status 1 if one is accepted
/// that should not be, or rejected by another goal than it should.
int check_answers(int argc, char** argv, std::span<const KnownAnswer> answers);
