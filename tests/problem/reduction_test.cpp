// What a reduction must result in, and how far from it a sum of floats may be.
#include "chapters/28_reduction/reduction.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cmath>

namespace {

using SumOfFloats = Reduction<float, float>;
using SumOfWords = Reduction<unsigned, unsigned>;
using Largest = Reduction<unsigned, unsigned long long>;

constexpr std::size_t n = 100'003;

// The verdict on a result that the host has written.
template<class Problem, class Value>
bool accepted(Problem& problem, Value result)
{
    return accepted(problem, std::vector<Value>{result});
}

} // namespace

TEST_CASE("a sum of floats may be off by one rounding for each addition, and not by more")
{
    CHECK(common::sum_error_bound(0) == 0);
    CHECK(common::sum_error_bound(1) > 0x1p-24);
    CHECK(common::sum_error_bound(1) < 0x1.1p-24);
    CHECK(common::sum_error_bound(2000) > 2 * common::sum_error_bound(1000));
    CHECK(std::isinf(common::sum_error_bound(1 << 24)));

    SumOfFloats problem({n, 1}, "sum", n, Values::random);
    problem.allocate();
    problem.expect(1000);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += problem.element(i);
    CHECK(accepted(problem, static_cast<float>(sum)));
    CHECK(accepted(problem, static_cast<float>(sum * (1 + 0.9 * 1000 * 0x1p-24))));
    CHECK_FALSE(accepted(problem, static_cast<float>(sum * (1 + 1.1 * 1000 * 0x1p-24))));
    CHECK_FALSE(accepted(problem, static_cast<float>(sum * (1 - 1.1 * 1000 * 0x1p-24))));
    CHECK_FALSE(accepted(problem, 0.0F));
    CHECK_FALSE(accepted(problem, std::nanf("")));
}

TEST_CASE("2^24 floats one after another have a bound no more, words always have one")
{
    const SumOfFloats floats({n, 1}, "sum", n, Values::equal);
    CHECK(floats.unavailable_reason(1 << 23).empty());
    CHECK_FALSE(floats.unavailable_reason(1 << 24).empty());
    const SumOfWords words({n, 1}, "sum", n, Values::equal);
    CHECK(words.unavailable_reason(1 << 24).empty());
}

TEST_CASE("a sum of words is right to the bit")
{
    SumOfWords problem({n, 1}, "sum", n, Values::random);
    problem.allocate();
    problem.expect(0);
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += problem.element(i);
    CHECK(accepted(problem, sum));
    CHECK_FALSE(accepted(problem, sum + 1));
}

TEST_CASE("of equal elements the first is the largest")
{
    Largest problem({n, 1}, "largest", n, Values::equal);
    problem.allocate();
    const unsigned long long one = 1ULL << 32;
    problem.expect(0);
    CHECK(accepted(problem, one | 0xffff'ffff));
    CHECK_FALSE(accepted(problem, one | 0xffff'fffe));
    problem.expect(0, true);
    CHECK(accepted(problem, one));
    CHECK_FALSE(accepted(problem, one | 1));
}

TEST_CASE("the largest of random words is larger than all before it")
{
    Largest problem({n, 1}, "largest", n, Values::random);
    problem.allocate();
    problem.expect(0, true);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (problem.element(i) > problem.element(at))
            at = i;
    const auto value = static_cast<unsigned long long>(problem.element(at));
    CHECK(accepted(problem, value << 32 | at));
    CHECK_FALSE(accepted(problem, value << 32 | (at + 1)));
}
