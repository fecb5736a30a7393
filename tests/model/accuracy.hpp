/// \file
/// How far the time model is from what was measured: demands.csv has a line for each kernel of each
/// row, of the book's reference results and of sets of kernels that the model was shown blind, with
/// what it requests and the time that the row took.
#pragma once

#include "common/model/time_model.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

/// One measured row.
struct Row
{
    std::string set;        ///< "h200" and "h100" of the book, or the name of a blind set
    std::string name;       ///< what tells rows of a set apart
    double bytes = 0;       ///< that it moves
    double measured_ms = 0; ///< with cold caches
    std::vector<common::Demand> demands; ///< of its kernels
};

/// The rows of the file. Throws std::runtime_error with the file and line that it cannot read.
std::vector<Row> read(const std::string& file);

/// The time of all its kernels on a GPU.
double modelled_ms(const Row& row, const common::Card& card);
/// By what factor that is too long, or too short.
double factor(const Row& row, const common::Card& card);

/// By what factor modelled times are too long, or too short.
struct Errors
{
    std::size_t rows = 0;
    double median = 1;
    double ninth_decile = 1; ///< nine of ten rows are no farther off
};
/// Those of some factors.
Errors errors(std::vector<double> factors);
/// Those of the rows of a set ("": of all blind sets) that move at least so many bytes, on a GPU.
Errors errors(const std::vector<Row>& rows, std::string_view set, const common::Card& card,
              double least_bytes = 0);

} // namespace accuracy
