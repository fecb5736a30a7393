/// \file
/// How far off the time model was of the kernels that were measured, by what limits them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace common {

/// Whose kernels a ModelError tells of.
enum class Kernels
{
    the_book, ///< rows of chapters, large ones, which the model was held against again and again
    others    ///< as they were modelled when the model first saw them
};

/// The kernels of one kind: those that the model says are limited by the same.
struct ModelError
{
    Kernels kernels = Kernels::the_book; ///< whose
    std::string_view limited_by;         ///< Bound::name; "" for all, whatever limits them
    int rows = 0;                        ///< that were measured, cold
    double median = 0;          ///< of the distance from the measured time, as a share of it
    double ninth_decile = 0;    ///< likewise, of nine in ten at most
    std::string_view chapter{}; ///< whose rows these are; "" for all chapters
};

/// What tools/results/accuracy.py found for the limit, or for a chapter whatever limits its rows;
/// null where nothing that was measured has it.
[[nodiscard]] const ModelError* model_error(Kernels kernels, std::string_view limited_by,
                                            std::string_view chapter = "");

/// A sentence that says how far off such kernels with these limits typically are, each limit once;
/// that nobody knows, for limits without a measured one and for a card (`Card::name`) on which none
/// was measured. And that the rows of `chapter` are farther off than that, where they are.
[[nodiscard]] std::string typical_errors(Kernels kernels, std::vector<std::string> limits,
                                         std::string_view card, std::string_view chapter = "");

/// True if times that the model gives two rows of the book say which of them is faster: they are
/// farther apart than what nine in ten of such rows are off. Never on a card that nobody measured.
[[nodiscard]] bool tells_apart(double fast_ms, std::string_view fast_limit, double slow_ms,
                               std::string_view slow_limit, std::string_view card);

} // namespace common
