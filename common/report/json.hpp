/// \file
/// Results as JSON, as tools/results/results.schema.json describes it.
#pragma once

#include "common/report/results.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace common {

/// A file that does not hold results. what() is a sentence that names it and what is wrong.
class ResultsError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The results as text of a file.
[[nodiscard]] std::string results_to_json(const Results& results);

/// Fields with the ways to them, {"counts.load_sectors", "128"}: text without quotes, nothing for
/// null.
using FlatFields = std::vector<std::pair<std::string, std::string>>;

/// One row's, in the order of a file.
[[nodiscard]] FlatFields flat_fields(const Row& row);

/// The results from JSON text. `name` is the file's, for messages. Throws ResultsError unless every
/// field that the schema requires is there and is what it should be.
[[nodiscard]] Results results_from_json(const std::string& text, const std::string& name);

/// The results in a file. Throws ResultsError.
[[nodiscard]] Results read_results(const std::string& path);

} // namespace common
