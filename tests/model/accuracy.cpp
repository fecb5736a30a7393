#include "tests/model/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace accuracy {

namespace {

using common::Demand;

/// The columns with a number of Demand, by the name of its field.
void set(Demand& demand, const std::string& column, double value)
{
    const auto field = std::ranges::find(common::demand_fields, column,
                                         [](const auto& one) { return one.first; });
    if (field == std::end(common::demand_fields))
        throw std::runtime_error(column + " is no field of a Demand.");
    demand.*field->second = value;
}

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> found;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');)
        found.push_back(cell);
    return found;
}

} // namespace

std::string Row::group() const
{
    const auto n = parameters.find(" n=");
    return fmt::format("{}{} {}", chapter, n == std::string::npos ? "" : parameters.substr(n),
                       bytes);
}

std::vector<Row> read(const std::string& file, const common::Card& card)
{
    std::ifstream input(file);
    std::string line;
    if (!std::getline(input, line))
        throw std::runtime_error(file + " cannot be read.");
    const std::vector<std::string> names = cells(line);
    std::vector<Row> rows;
    for (int number = 2; std::getline(input, line); ++number) {
        const std::vector<std::string> values = cells(line);
        if (values.size() != names.size())
            throw std::runtime_error(fmt::format("{}:{} has {} cells, and the first line {}.", file,
                                                 number, values.size(), names.size()));
        Row row;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == "chapter")
                row.chapter = values[i];
            else if (names[i] == "variant")
                row.variant = values[i];
            else if (names[i] == "parameters")
                row.parameters = values[i];
            else if (names[i] == "bytes")
                row.bytes = std::stod(values[i]);
            else if (names[i] == "measured_ms")
                row.measured_ms = std::stod(values[i]);
            else
                set(row.demand, names[i], std::stod(values[i]));
        }
        row.modelled = common::predict(row.demand, card);
        rows.push_back(std::move(row));
    }
    return rows;
}

Errors errors(const std::vector<const Row*>& rows)
{
    std::vector<double> all;
    for (const Row* row : rows)
        all.push_back(std::abs(row->error()));
    std::sort(all.begin(), all.end());
    if (all.empty())
        return {};
    const auto at = [&](double share) {
        return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) -
                   1];
    };
    return {all.size(), at(0.5), at(0.9), all.back()};
}

std::vector<std::string> wrong_orders(const std::vector<Row>& rows)
{
    std::vector<std::string> wrong;
    for (const Row& slow : rows) {
        for (const Row& fast : rows) {
            if (slow.group() == fast.group() && slow.measured_ms > 1.15 * fast.measured_ms &&
                slow.modelled.ms <= fast.modelled.ms)
                wrong.push_back(fmt::format("{} {} ({}) and {} ({})", slow.chapter, slow.variant,
                                            slow.parameters, fast.variant, fast.parameters));
        }
    }
    return wrong;
}

} // namespace accuracy
