/// \file
/// How far off the time model was of the kernels that were measured, as factors: 1.2 is a fifth too
/// long, or as much too short.
#pragma once

#include <string>
#include <string_view>

namespace common {

/// Whose kernels a ModelError tells of. A small launch moves less than 32 MiB.
enum class Kernels
{
    book,       ///< rows of chapters, from which the model's constants come
    book_small, ///< likewise, small launches
    unseen,     ///< kernels by people who had not seen the model, as it first saw them
    unseen_small
};

/// By what factor the model was off of the kernels of one kind.
struct ModelError
{
    Kernels kernels = Kernels::book; ///< whose
    double median = 1;               ///< half of them are no farther off
    double ninth_decile = 1;         ///< nine of ten are no farther off
};

/// What tools/results/accuracy.py found.
[[nodiscard]] const ModelError& model_error(Kernels kernels);

/// Bytes that a launch moves, below which it is small.
inline constexpr double small_launch_bytes = 32.0 * (1 << 20);

/// A sentence that says how far off times of kernels that the model had not seen are on the GPU of
/// that name (`Card::name`); that nobody knows, where none was measured.
[[nodiscard]] std::string typical_errors(std::string_view card);

/// A modelled figure, which is no more exact than two digits: "0.93", "3400".
[[nodiscard]] std::string two_digits(double number);

/// "0.93 (0.39 to 2.2)": a modelled time by two digits, and where nine of ten times of kernels of
/// that kind lie.
[[nodiscard]] std::string with_range(double ms, Kernels kernels);

} // namespace common
