// What narrower numbers must be, and the scales of the rows that have become such.
#include "chapters/34_narrow_types/flips.hpp"
#include "chapters/34_narrow_types/quantised_rows.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cmath>
#include <vector>

namespace {

constexpr common::Setting setting{.n = 0, .seed = 1};

template<class T>
bool flips_accepted(unsigned steps, bool odd)
{
    constexpr std::size_t n = 1009;
    Flips<T> problem(setting, n);
    problem.allocate();
    problem.expect(steps % 2 == 0 ? +[](float x) { return x; } : [](float x) { return 1 - x; });
    std::vector<T> result(n);
    for (std::size_t i = 0; i < n; ++i)
        result[i] = narrow<T>(odd ? 1 - problem.element(i) : problem.element(i));
    return accepted(problem, result);
}

} // namespace

TEST_CASE("a number of 8 bits is the closest one to a float")
{
    CHECK(narrow<signed char>(126.6F) == 127);
    CHECK(narrow<signed char>(-2.5F) == -2); // ties to even
    CHECK(widen(narrow<__nv_fp8_e4m3>(17.0F)) == 16);
    CHECK(widen(narrow<__nv_fp8_e4m3>(500.0F)) == 448);
}

TEST_CASE("a number that has been flipped an odd number of times is 1 minus itself")
{
    CHECK(flips_accepted<float>(3, true));
    CHECK(flips_accepted<float>(64, false));
    CHECK_FALSE(flips_accepted<float>(3, false));
    CHECK(flips_accepted<__nv_bfloat16>(1, true));
    CHECK(flips_accepted<__nv_fp8_e4m3>(1, true));
    CHECK_FALSE(flips_accepted<__nv_fp8_e4m3>(2, true));
    CHECK(flips_accepted<signed char>(1, true));
}

TEST_CASE("a quantised row has the scale of its largest element, and zeros stay zeros")
{
    const common::Extent extent{.columns = 40, .rows = 300};
    QuantisedRows<__nv_fp8_e4m3> problem(setting, extent, [](float x, float largest) {
        return largest > 0 ? x * (448 / largest) : 0;
    });
    problem.allocate();
    std::vector<__nv_fp8_e4m3> numbers(extent.size());
    std::vector<float> scales(extent.rows);
    std::size_t zeros = 0;
    for (std::size_t row = 0; row < extent.rows; ++row) {
        float top = 0;
        for (std::size_t k = 0; k < extent.columns; ++k)
            top = std::max(top, std::abs(static_cast<float>(problem.element(row * 40 + k))));
        scales[row] = top / 448;
        zeros += top == 0;
        for (std::size_t k = row * 40; k < (row + 1) * 40; ++k)
            numbers[k] = __nv_fp8_e4m3(
                top == 0 ? 0.0F : static_cast<float>(problem.element(k)) * (448 / top));
    }
    const auto accepted = [&] {
        problem.poison();
        write(problem.c, numbers);
        write(problem.scale, scales);
        return problem.verify().ok;
    };
    CHECK(zeros > 0);
    CHECK(zeros < 40);
    CHECK(accepted());
    scales[7] *= 1.01F;
    CHECK_FALSE(accepted());
    scales[7] /= 1.01F;
    numbers[123] = __nv_fp8_e4m3(static_cast<float>(numbers[123]) == 1.0F ? 2.0F : 1.0F);
    CHECK_FALSE(accepted());
}
