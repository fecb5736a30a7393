/// \file
/// What many small steps have to make of an array, each of a piece of it.
#pragma once

#include "common/problem/words.hpp"

namespace common {

/// What is expected of n words in pieces of m, the last of which may be shorter: the words of the
/// input. In a `chain` there is added to word i of a piece what was made of word i + `ahead` of the
/// piece before, whose first word follows its last, modulo 2^32.
Expected words_of_steps(const Words& p, std::size_t m, bool chain, std::size_t ahead = 1);

} // namespace common
