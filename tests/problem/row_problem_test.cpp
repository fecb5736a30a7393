// What is right of a row's results, and what is not.
#include "chapters/33_rows/row_problem.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t rows = 17;
constexpr std::size_t columns = 101; // and three behind each row

// Each result's reference.
RowReference reference(RowResult result)
{
    if (result == RowResult::softmax)
        return
            [](double x, double, const RowTotals& row) { return std::exp(x) / row.exponentials; };
    if (result == RowResult::norm)
        return [](double x, double weight, const RowTotals& row) {
            return x * weight / std::sqrt(row.mean_square + norm_epsilon);
        };
    return [](double x, double weight, const RowTotals& row) {
        return x * weight * largest_fp8 / row.largest;
    };
}

// What a row of results should be in double, by the definition.
std::vector<double> wanted(const RowProblem& problem, std::size_t row)
{
    std::vector<double> y(problem.shape.width, 0.0);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        const double x = problem.element(row, i);
        sum += std::exp(x - 100);
        squares += x * x;
    }
    for (std::size_t i = 0; i < columns; ++i) {
        const double x = problem.element(row, i);
        y[i] = std::exp(x - 100) / sum;
        if (problem.task() != "softmax")
            y[i] = x * problem.weight(i) / std::sqrt(squares / columns + 1e-5);
    }
    return y;
}

// All results as `change` leaves them, rounded to bf16 values, and the verdict on them.
template<class Change>
bool accepted(RowProblem& problem, const Change& change)
{
    problem.poison();
    std::vector<__nv_bfloat16> all;
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> y = wanted(problem, row);
        change(row, y);
        for (const double x : y)
            all.emplace_back(static_cast<float>(x));
    }
    write(problem.c, all);
    return problem.verify().ok;
}

// The same in 8 bits, with `scaled` for the scales.
template<class Scaled>
bool accepted_fp8(RowProblem& problem, double off, const Scaled& scaled)
{
    problem.poison();
    std::vector<__nv_fp8_e4m3> all;
    std::vector<float> scales;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::vector<double> y = wanted(problem, row);
        double largest = 0;
        for (const double x : y)
            largest = std::max(largest, std::abs(x));
        scales.push_back(static_cast<float>(scaled(largest / 448)));
        for (const double x : y)
            all.emplace_back(static_cast<float>(x * off * 448 / largest));
    }
    write(problem.c8, all);
    write(problem.scales, scales);
    return problem.verify().ok;
}

} // namespace

TEST_CASE("a result of a row may be off by its rounding and the bound, and not by more")
{
    for (const RowResult result : {RowResult::softmax, RowResult::norm}) {
        RowProblem problem({1, 1}, result, {.columns = columns, .rows = rows}, reference(result));
        problem.allocate();
        problem.expect(20);
        CAPTURE(problem.task());
        CHECK(accepted(problem, [](std::size_t, auto&) {}));
        // One unit in the last of a bf16 value's eight digits, in one element.
        CHECK_FALSE(accepted(problem, [](std::size_t row, auto& y) {
            if (row == 3)
                y[5] *= 1 + 0x1.8p-7;
        }));
        CHECK_FALSE(accepted(problem, [](std::size_t row, auto& y) {
            if (row == 16)
                y[100] = -y[100];
        }));
        CHECK_FALSE(accepted(problem, [](std::size_t row, auto& y) {
            if (row == 0)
                y[101] = 1; // behind the row, where nothing is
        }));
        CHECK_FALSE(accepted(problem, [](std::size_t row, auto& y) {
            if (row == 1)
                y[0] = std::nan("");
        }));
    }
}

TEST_CASE(
    "of a sum that is one bf16 value off only a row with few terms tells, and a bound that grows")
{
    CHECK(row_error_bound(0, 0) > 0x1p-23);
    CHECK(row_error_bound(1000, 0) > row_error_bound(10, 0));
    CHECK(row_error_bound(10, 108) > row_error_bound(10, 16));
    // Far below what rounding to a bf16 value makes, 2^-9.
    CHECK(row_error_bound(64, 108) < 0x1p-14);
}

TEST_CASE("a result of 8 bits is what its rounding makes, and its scale is right")
{
    RowProblem problem({1, 1}, RowResult::norm_to_fp8, {.columns = columns, .rows = rows},
                       reference(RowResult::norm_to_fp8));
    problem.allocate();
    problem.expect(20);
    const auto exact = [](double scale) { return scale; };
    CHECK(accepted_fp8(problem, 1, exact));
    CHECK_FALSE(accepted_fp8(problem, 1.01, exact)); // some are rounded to another
    CHECK_FALSE(accepted_fp8(problem, 1, [](double scale) { return scale * 1.0001; }));
    CHECK_FALSE(accepted_fp8(problem, 1, [](double) { return 0.0; }));
    // Through bf16 values, what is off by 2^-8 is no fault.
    problem.expect(20, true);
    CHECK(accepted_fp8(problem, 1.003, [](double scale) { return scale * 1.003; }));
    CHECK_FALSE(accepted_fp8(problem, 1.03, exact));
}

TEST_CASE("of eight rows one is of -120 throughout, one rises, one has an element of 100")
{
    RowProblem problem({1, 1}, RowResult::softmax, {.columns = columns, .rows = rows},
                       reference(RowResult::softmax));
    for (std::size_t i = 1; i < columns; ++i) {
        CHECK(problem.element(5, i) == -120);
        CHECK(problem.element(6, i) >= problem.element(6, i - 1));
    }
    CHECK(problem.element(6, columns - 1) > problem.element(6, 0) + 15);
    CHECK(problem.element(7, 7) == 100);
    CHECK(problem.element(15, 15) == 100);
    CHECK(problem.element(0, 1) != problem.element(0, 2));
}
