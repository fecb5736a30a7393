/// \file
/// A named value of a row: a column of the table, a field of the results file.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace common {

/// A named value: {"occupancy", 0.75}.
struct Parameter
{
    using Value = std::variant<std::int64_t, double, std::string>; ///< what it can hold

    std::string name;
    Value value;

    bool operator==(const Parameter&) const = default;
};

/// The value as people write it: `256`, `0.75`, `int4`.
[[nodiscard]] std::string to_string(const Parameter::Value& value);

} // namespace common
