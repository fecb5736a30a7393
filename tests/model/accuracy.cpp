#include "tests/model/accuracy.hpp"

#include "common/report/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace accuracy {

namespace {

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> found;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ';');)
        found.push_back(cell);
    return found;
}

} // namespace

std::vector<Row> read(const std::string& file)
{
    constexpr std::size_t fields = 4; // before those of a Demand
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
        if (rows.empty() || rows.back().set != values[0] || rows.back().name != values[1])
            rows.push_back({values[0], values[1], std::stod(values[2]), std::stod(values[3]), {}});
        common::Demand& demand = rows.back().demands.emplace_back();
        for (std::size_t i = fields; i < names.size(); ++i) {
            const auto* const field = std::ranges::find(common::demand_fields, names[i],
                                                        [](const auto& one) { return one.first; });
            if (field == std::end(common::demand_fields))
                throw std::runtime_error(names[i] + " is no field of a Demand.");
            demand.*field->second = std::stod(values[i]);
        }
    }
    return rows;
}

Errors errors(const std::vector<Row>& rows, std::string_view set, const common::Card& card,
              double least_bytes)
{
    std::vector<double> factors;
    for (const Row& row : rows) {
        const bool blind = row.set != "h200" && row.set != "h100";
        if ((set.empty() ? !blind : row.set != set) || row.bytes < least_bytes)
            continue;
        factors.push_back(factor(row, card));
    }
    if (factors.empty())
        throw std::runtime_error(fmt::format("There is no row of the set '{}'.", set));
    return errors(std::move(factors));
}

double modelled_ms(const Row& row, const common::Card& card)
{
    double ms = 0;
    for (const common::Demand& demand : row.demands)
        ms += predict(demand, card).ms;
    return ms;
}

double factor(const Row& row, const common::Card& card)
{
    const double ms = modelled_ms(row, card);
    return std::max(ms / row.measured_ms, row.measured_ms / ms);
}

Errors errors(std::vector<double> factors)
{
    std::ranges::sort(factors);
    const auto at = [&](double share) {
        return factors[static_cast<std::size_t>(
                           std::ceil(share * static_cast<double>(factors.size()))) -
                       1];
    };
    return {factors.size(), at(0.5), at(0.9)};
}

} // namespace accuracy
