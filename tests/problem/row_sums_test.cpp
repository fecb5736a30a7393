// What a matrix times a vector must result in, and how far from it a sum of products may be.
#include "chapters/32_matrix_vector/matrix_vector.hpp"
#include "chapters/32_matrix_vector/sparse_rows.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cmath>
#include <vector>

namespace {

using Matrix = MatrixVector<float>;

constexpr common::Setting setting{.n = 0, .seed = 1};

// The reference of a matrix.
void expect_products(Matrix& m)
{
    m.expect([&m](std::size_t r) {
        RowSum sum;
        for (std::size_t k = 0; k < m.columns; ++k)
            sum.add(m.element(r, k), m.vector_element(k));
        return sum;
    });
}

// Row by row, in double.
std::vector<double> products(const Matrix& m)
{
    std::vector<double> sums(m.rows);
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t k = 0; k < m.columns; ++k)
            sums[r] += double{m.element(r, k)} * double{m.vector_element(k)};
    return sums;
}

std::vector<float> as_floats(const std::vector<double>& values)
{
    return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("a product of whole numbers is right to the bit")
{
    Matrix m(setting, {.extent = {.columns = 37, .rows = 11}}, Order::rows);
    m.allocate();
    expect_products(m);
    std::vector<float> right = as_floats(products(m));
    CHECK(accepted(m, right));
    right[7] += 1;
    CHECK_FALSE(accepted(m, right));
    right[7] = std::nanf("");
    CHECK_FALSE(accepted(m, right));
}

TEST_CASE("a product of fractions may be off by a rounding for each term, and not by more")
{
    constexpr std::size_t terms = 1000;
    Matrix m(setting, {.extent = {.columns = terms, .rows = 3}, .factors = Factors::fractions},
             Order::rows);
    m.allocate();
    expect_products(m);
    double magnitude = 0;
    for (std::size_t k = 0; k < terms; ++k)
        magnitude += std::abs(double{m.element(1, k)} * double{m.vector_element(k)});
    const auto off_by = [&](double error) {
        std::vector<double> sums = products(m);
        sums[1] += error;
        return accepted(m, as_floats(sums));
    };
    const double bound = common::sum_error_bound(terms) * magnitude;
    CHECK(off_by(0));
    CHECK(off_by(0.9 * bound));
    CHECK_FALSE(off_by(1.1 * bound));
    CHECK_FALSE(off_by(-1.1 * bound));
}

TEST_CASE("a matrix lies row by row or column by column, and zeros are between them")
{
    for (const auto order : {Order::rows, Order::columns}) {
        Matrix m(setting, {.extent = {.columns = 6, .rows = 3}}, order);
        m.allocate();
        const bool by_rows = order == Order::rows;
        CHECK(m.pitch == (by_rows ? 8 : 4));
        const std::size_t lines = by_rows ? 3 : 6;
        const std::size_t across = by_rows ? 6 : 3;
        const std::vector<float> stored = read(m.a, lines * m.pitch);
        for (std::size_t line = 0; line < lines; ++line)
            for (std::size_t place = 0; place < m.pitch; ++place)
                CHECK(stored[line * m.pitch + place] == (place >= across ? 0
                                                         : by_rows       ? m.element(line, place)
                                                                         : m.element(place, line)));
    }
}

TEST_CASE("rows of a sparse matrix have ascending columns, and the lengths that were requested")
{
    for (const auto pattern :
         {Pattern::spread, Pattern::band, Pattern::uneven, Pattern::one_long}) {
        SparseRows m(setting, 10'000, pattern);
        m.allocate();
        m.expect([&m](std::size_t r) {
            RowSum sum;
            for (std::size_t i = m.first(r); i < m.first(r + 1); ++i)
                sum.add(m.element(i), m.vector_element(m.column_of(r, i)));
            return sum;
        });
        const std::vector<unsigned> start = read(m.start, m.rows + 1);
        const std::vector<unsigned> column = read(m.column, m.count);
        std::vector<float> sums(m.rows);
        std::size_t empty = 0;
        std::size_t full = 0;
        bool ascending = true;
        for (std::size_t r = 0; r < m.rows; ++r) {
            empty += start[r] == start[r + 1];
            full += start[r + 1] - start[r] == m.rows;
            for (unsigned i = start[r]; i < start[r + 1]; ++i) {
                ascending = ascending && (i == start[r] || column[i - 1] < column[i]);
                sums[r] += m.element(i) * m.vector_element(column[i]);
            }
        }
        CHECK(ascending);
        CHECK(start[m.rows] == m.count);
        CHECK((empty > 0) == (pattern == Pattern::uneven));
        CHECK(full == (pattern == Pattern::one_long ? 1 : 0));
        CHECK(accepted(m, sums));
        sums[m.rows / 2] += 1;
        CHECK_FALSE(accepted(m, sums));
    }
}
