/// \file
/// Results as JSON, as docs/results/results.schema.json describes it.
#pragma once

#include "common/report/results.hpp"

#include <nlohmann/json_fwd.hpp>

#include <stdexcept>
#include <string>

namespace common {

/// A file that does not hold results. what() is a sentence that names it and what is wrong.
class ResultsError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The results as text of a file.
[[nodiscard]] std::string results_to_json(const Results& results);

/// One row as an object.
[[nodiscard]] nlohmann::ordered_json row_to_json(const Row& row);

/// The results from JSON text. `name` is the file's, for messages. Throws ResultsError unless every
/// field that the schema requires is there and is what it should be.
[[nodiscard]] Results results_from_json(const std::string& text, const std::string& name);

/// The results in a file. Throws ResultsError.
[[nodiscard]] Results read_results(const std::string& path);

} // namespace common
