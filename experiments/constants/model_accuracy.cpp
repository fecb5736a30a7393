// model_accuracy FILE [CARD]: the error of the time model by chapter and by limit, and the
// worst ten rows.
#include "common/model/card_file.hpp"
#include "tests/model/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

namespace {

using accuracy::Row;

template<class Predicate>
void print(const std::string& what, const std::vector<Row>& rows, Predicate belongs)
{
    std::vector<const Row*> chosen;
    for (const Row& row : rows)
        if (belongs(row))
            chosen.push_back(&row);
    const accuracy::Errors e = accuracy::errors(chosen);
    fmt::print("{:<24} {:>5} {:>8.1f} % {:>8.1f} % {:>8.1f} %\n", what, e.rows, 100 * e.median,
               100 * e.ninth_decile, 100 * e.largest);
}

} // namespace

int main(int argc, char** argv)
try {
    if (argc != 2 && argc != 3) {
        fmt::print(stderr, "model_accuracy FILE [CARD]: FILE is tests/model/h200_demands.csv, CARD "
                           "a card file.\n");
        return 2;
    }
    std::vector<Row> rows = accuracy::read(argv[1], argc == 3 ? common::read_card_file(argv[2])
                                                              : *common::find_card("h200"));
    fmt::print("{:<24} {:>5} {:>10} {:>10} {:>10}\n", "", "rows", "median", "9 of 10", "largest");
    print("all", rows, [](const Row&) { return true; });
    std::map<std::string, int> chapters;
    std::map<std::string, int> limits;
    for (const Row& row : rows) {
        ++chapters[row.chapter];
        ++limits[std::string(row.modelled.limited_by)];
    }
    for (const auto& [chapter, count] : chapters)
        print("chapter " + chapter, rows,
              [&, &c = chapter](const Row& row) { return row.chapter == c; });
    for (const auto& [limit, count] : limits)
        print("limited by " + limit, rows,
              [&, &l = limit](const Row& row) { return row.modelled.limited_by == l; });
    for (const std::string& pair : accuracy::wrong_orders(rows))
        fmt::print("wrong order: {}\n", pair);
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return std::abs(a.error()) > std::abs(b.error()); });
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 10); ++i) {
        const Row& row = rows[i];
        fmt::print("{:+6.1f} % {} {} ({}): measured {:.3f} ms, {}", 100 * row.error(), row.chapter,
                   row.variant, row.parameters, row.measured_ms, row.modelled.limited_by);
        for (const common::Bound& bound : row.modelled.bounds)
            fmt::print(" {} {:.3f}", bound.name, bound.ms);
        fmt::print("\n");
    }
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
