/// \file
/// How far the time model is from what was recorded: h200_demands.csv has a line for each cold
/// kernel row of the reference results with 2^26 elements or more, with what its launch asks for
/// and the time that it took.
#pragma once

#include "common/model/time_model.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

/// One recorded row, and what the model says of it.
struct Row
{
    std::string chapter;    ///< "01"
    std::string variant;    ///< "basic"
    std::string parameters; ///< "threads=256 n=268435456"
    double bytes = 0;       ///< that the task moves
    double measured_ms = 0;
    common::Demand demand;
    common::ModelledTime modelled;

    /// Modelled over measured, less 1.
    [[nodiscard]] double error() const { return modelled.ms / measured_ms - 1; }
    /// What rows must share for their times to be compared: chapter, n and bytes.
    [[nodiscard]] std::string group() const;
};

/// The rows of the file, as the model sees them on `card`. Throws std::runtime_error with the
/// file and line that it cannot read.
std::vector<Row> read(const std::string& file, const common::Card& card);

/// Shares, not percent.
struct Errors
{
    std::size_t rows = 0;
    double median = 0;
    double ninth_decile = 0; ///< nine of ten rows are no farther off
    double largest = 0;
};
Errors errors(const std::vector<const Row*>& rows);

/// Pairs of one group whose times differ by more than 15 % and which the model has the wrong way
/// round (or alike), as "07 stencil_direct and reorder_padded".
std::vector<std::string> wrong_orders(const std::vector<Row>& rows);

} // namespace accuracy
