/// \file
/// A named value of a row: a column of the table, a field of the results file.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace common {

/// A named value: {"occupancy", 0.75}, {"unit", sizeof(T)}, {"order", "strided"}.
struct Parameter
{
    using Value = std::variant<std::int64_t, double, std::string>; ///< what it can hold

    /// A whole number.
    template<std::integral T>
    Parameter(std::string name_, T value_)
        : name(std::move(name_)), value(static_cast<std::int64_t>(value_))
    {}
    /// A number with a fraction.
    Parameter(std::string name_, double value_) : name(std::move(name_)), value(value_) {}
    /// A word.
    Parameter(std::string name_, std::string value_)
        : name(std::move(name_)), value(std::move(value_))
    {}

    std::string name; ///< of its column
    Value value;      ///< in the row

    /// True if name, kind and value agree.
    bool operator==(const Parameter&) const = default;
};

/// The value as people write it: `256`, `0.75`, `int4`.
[[nodiscard]] std::string to_string(const Parameter::Value& value);

} // namespace common
