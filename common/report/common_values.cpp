#include "common/report/common_values.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace common {

namespace {

/// What `value_of` tells of the rows, if it is the same for all of which it tells anything.
template<class ValueOf>
auto agreed(const Results& results, const ValueOf& value_of) -> decltype(value_of(results.rows[0]))
{
    decltype(value_of(results.rows[0])) agreed;
    for (const Row& row : results.rows) {
        const auto value = value_of(row);
        if (value && agreed && *value != *agreed)
            return std::nullopt;
        if (value)
            agreed = value;
    }
    return agreed;
}

/// The elements of a row; nothing if it has no such parameter.
std::optional<std::uint64_t> own_n(const Row& row)
{
    const Parameter::Value* value = row.parameter("n");
    const auto* n = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    return n == nullptr ? std::nullopt : std::optional<std::uint64_t>(*n);
}

} // namespace

bool any(const Results& results, const std::function<bool(const Row&)>& holds)
{
    return std::any_of(results.rows.begin(), results.rows.end(), holds);
}

std::vector<std::string> parameter_names(const Results& results)
{
    std::vector<std::string> names;
    for (const Row& row : results.rows)
        for (const Parameter& p : row.parameters)
            if (std::find(names.begin(), names.end(), p.name) == names.end())
                names.push_back(p.name);
    return names;
}

std::optional<std::string> common_value(const Results& results, std::string_view name)
{
    if (any(results, [&](const Row& row) { return row.parameter(name) == nullptr; }))
        return std::nullopt;
    return agreed(results,
                  [&](const Row& row) { return std::optional(to_string(*row.parameter(name))); });
}

std::optional<Cache> common_cache(const Results& results)
{
    return agreed(results, [](const Row& row) { return row.cache; });
}

std::string label(const Row& row, const Results& results)
{
    Row own;
    own.variant = row.variant;
    std::copy_if(
        row.parameters.begin(), row.parameters.end(), std::back_inserter(own.parameters),
        [&](const Parameter& p) { return p.name == "threads" || !common_value(results, p.name); });
    const Parameter::Value* n = own.parameter("n");
    return n == nullptr ? own.label() : fmt::format("{} at n = {}", own.label(), to_string(*n));
}

std::optional<std::uint64_t> modelled_n(const Row& row)
{
    if (!row.modelled)
        return std::nullopt;
    return row.modelled->n ? row.modelled->n : own_n(row);
}

std::optional<std::uint64_t> common_modelled_n(const Results& results)
{
    return agreed(results, modelled_n);
}

bool modelled_as_run(const Results& results)
{
    return !any(results,
                [](const Row& row) { return row.modelled && modelled_n(row) != own_n(row); });
}

std::string line(std::string_view text, std::size_t width)
{
    return wrap(text, width) + "\n";
}

} // namespace common
