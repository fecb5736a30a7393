// What is expected all at once, as of a scan, and of a selection.
#include "chapters/31_select/selection.hpp"
#include "common/problem/arrays.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t n = 200'003; // several of the parts in which expectations are made

// The verdict on a selection, with how many it says there are.
bool accepted(Selection& problem, const std::vector<unsigned>& result, std::size_t number)
{
    problem.poison();
    write(problem.c, result);
    write(problem.count, {static_cast<unsigned>(number)});
    return problem.verify().ok;
}

std::vector<unsigned> kept(const Selection& problem)
{
    std::vector<unsigned> words;
    for (std::size_t i = 0; i < problem.n; ++i)
        if (problem.element(i) >> 31U == 0)
            words.push_back(problem.element(i));
    return words;
}

} // namespace

TEST_CASE("a scan is right to the bit, in each element")
{
    common::Arrays<unsigned> problem({n, 1}, {.task = "scan"});
    problem.expect_all([](const unsigned* a, unsigned* c) { std::partial_sum(a, a + n, c); });
    problem.allocate();
    std::vector<unsigned> sums(n);
    common::generate(common::Element::u32, 1, 0, 0, n, sums.data());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    CHECK(accepted(problem, sums));
    for (const std::size_t wrong : {std::size_t{0}, n / 2, n - 1}) {
        ++sums[wrong];
        CHECK_FALSE(accepted(problem, sums));
        --sums[wrong];
    }
    sums.pop_back();
    CHECK_FALSE(accepted(problem, sums));
}

TEST_CASE("a selection has the words that are kept, in order and no more, and says how many")
{
    for (const KeepPattern which :
         {KeepPattern::random_half, KeepPattern::all, KeepPattern::none, KeepPattern::first_half}) {
        Selection problem({n, 1}, n, which);
        problem.allocate();
        problem.expect(KeptOrder::of_input);
        std::vector<unsigned> words = kept(problem);
        INFO(problem.kept_name());
        CHECK(words.size() == problem.found());
        CHECK(accepted(problem, words, words.size()));
        CHECK_FALSE(accepted(problem, words, words.size() + 1));
        if (words.size() < n) {
            words.push_back(5); // one that nobody has requested
            CHECK_FALSE(accepted(problem, words, words.size() - 1));
            words.pop_back();
        }
        if (words.empty())
            continue;
        std::swap(words.front(), words.back());
        CHECK_FALSE(accepted(problem, words, words.size()));
    }
}

TEST_CASE("in any order each word that is kept has to come once")
{
    Selection problem({n, 1}, n, KeepPattern::random_half);
    problem.allocate();
    problem.expect(KeptOrder::any);
    std::vector<unsigned> words = kept(problem);
    CHECK(words.size() > n / 3);
    CHECK(words.size() < 2 * n / 3);
    std::reverse(words.begin(), words.end());
    CHECK(accepted(problem, words, words.size()));
    words.back() = words.front(); // one twice, and another one not at all
    CHECK_FALSE(accepted(problem, words, words.size()));
    words.back() = static_cast<unsigned>(n); // none of the input
    CHECK_FALSE(accepted(problem, words, words.size()));
    words.pop_back();
    CHECK_FALSE(accepted(problem, words, words.size() + 1));
}
