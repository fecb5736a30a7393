// 31.2: Rank of a lane in a ballot
// minutes: 15
// difficulty: 2
// practises: masks of the lanes before a lane
// hint: Take a list whose lane 0 drops its word while all others keep theirs. What is `before`
//     of lane 0, and what is its index?
// hint: kept << (31 - lane) has the bits of lanes 0 to `lane`, including the lane's own. For
//     which lanes is it correct to subtract 1?
// hint: Count the bits below that of the lane, whether it keeps its word or not: those of kept &
//     ((1U << lane) - 1).
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <algorithm>
#include <array>

void solve(const unsigned* a, unsigned* c, std::size_t lists);

void goals(common::Attempt& attempt)
{
    const std::size_t lists = (attempt.n() + 31) / 32;
    common::Words problem(attempt, "pack lists", 32 * lists, 32 * lists);
    problem.expect_words(problem.n, [&problem](std::size_t i) {
        std::array<std::uint32_t, 32> list{};
        problem.input(i / 32 * 32, list.size(), list.data());
        std::stable_partition(list.begin(), list.end(), [](auto x) { return x >> 31U == 0; });
        const std::uint32_t x = list.at(i % 32);
        return x >> 31U == 0 ? x : 0;
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, lists); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    attempt.stores_at_most(problem.n * sizeof(unsigned));
    attempt.sectors_per_load(4);
}
