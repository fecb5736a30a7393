/// \file
/// How far off the time model was of the rows that were measured, by what limits a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace common {

/// The rows of one kind: those that the model says are limited by the same.
struct ModelError
{
    std::string_view
        limited_by;      ///< Bound::name; "" of kernels at first sight, whatever limits them
    int rows;            ///< that were measured, cold, at 2^26 elements or more
    double median;       ///< of the distance from the measured time, as a share of it
    double ninth_decile; ///< likewise, of nine rows in ten at most
};

/// What tools/results/accuracy.py found for the limit; null where no measured row has it.
[[nodiscard]] const ModelError* model_error(std::string_view limited_by);

/// A sentence that says how far off rows with these limits typically are, each limit once; that
/// nobody knows, for limits without a measured row and for a card (`Card::name`) on which no
/// row was measured.
[[nodiscard]] std::string typical_errors(std::vector<std::string> limits, std::string_view card);

/// A sentence that says how far off kernels were that the model had never been held against, as
/// those of a reader's own program are; that nobody knows, for a card without measured rows.
[[nodiscard]] std::string error_at_first_sight(std::string_view card);

} // namespace common
