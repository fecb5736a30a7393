// What a histogram must result in, whatever the elements and however they are spread.
#include "chapters/30_histogram/histogram.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <vector>

namespace {

// How often each value occurs, element by element.
template<class T>
std::vector<unsigned> count(const Histogram<T>& problem)
{
    std::vector<unsigned> counts(problem.bins);
    for (std::size_t i = 0; i < problem.n; ++i)
        ++counts[problem.element(i) >> (8 * sizeof(T) - problem.bits)];
    return counts;
}

} // namespace

TEMPLATE_TEST_CASE("each value is counted as often as it occurs", "", std::uint8_t, unsigned)
{
    const std::size_t n = GENERATE(1, 1009, 100'003);
    const Spread spread = GENERATE(Spread::uniform, Spread::skewed, Spread::equal);
    CAPTURE(n, spread);
    Histogram<TestType> problem({n, 1}, n, spread);
    problem.allocate();
    std::vector<unsigned> counts = count(problem);
    CHECK(accepted(problem, counts));
    ++counts[255];
    CHECK_FALSE(accepted(problem, counts));
    --counts[255];
    --counts[problem.element(n - 1) >> (8 * sizeof(TestType) - 8)]; // the last one left out
    CHECK_FALSE(accepted(problem, counts));
}

TEMPLATE_TEST_CASE("values are spread as they are said to be", "", std::uint8_t, unsigned)
{
    const std::size_t n = 1 << 18;
    const unsigned frequent = Histogram<TestType>::frequent;
    const auto counts = [](Spread spread) { return count(Histogram<TestType>({n, 1}, n, spread)); };
    for (const unsigned uniform : counts(Spread::uniform)) {
        CHECK(uniform > 0.8 * n / 256);
        CHECK(uniform < 1.2 * n / 256);
    }
    CHECK(counts(Spread::skewed)[frequent] > 0.49 * n);
    CHECK(counts(Spread::skewed)[frequent] < 0.51 * n);
    CHECK(counts(Spread::equal)[frequent] == n);
}
