/// \file
/// The figures of a card by name: what reads files of cards and rescales one goes through them.
#pragma once

#include "common/model/card.hpp"

namespace common {

/// What a figure grows with, from card to card, where it was not measured; what is counted per
/// clock or per slice of L2 shrinks with it.
enum class Scale
{
    nothing,
    clock,
    per_clock,
    peak, ///< of DRAM
    l2,   ///< clock times slices
    per_l2,
    l2_bytes
};

/// A figure of a card: its name, its place, and what it grows with.
struct CardConstant
{
    std::string_view name; ///< as in the file of a card
    double Card::*value;   ///< its place in a Card
    Scale scale;           ///< what it grows with
};

/// The entry of one figure.
#define CARD_CONSTANT(name, scales) {#name, &Card::name, scales},

/// All of them.
inline constexpr CardConstant card_constants[] = {
#ifndef DOXYGEN // which has no build folder
#include "card_constants.inc"
#endif
};

#undef CARD_CONSTANT

} // namespace common
