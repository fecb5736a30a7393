/// \file
/// The figures of a GPU by name: what reads files of GPUs and rescales one goes through them.
#pragma once

#include "common/model/card.hpp"

namespace common {

/// What a figure grows with, from GPU to GPU, where it was not measured; what is counted per
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

/// A figure of a GPU: its name, its place, and what it grows with.
struct CardConstant
{
    std::string_view name; ///< as in the file of a GPU
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
