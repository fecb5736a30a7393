// 31.3: Partition: kept words first, the others last
// minutes: 15
// difficulty: 2
// practises: positions that follow from the number of words kept before
// hint: Word i is dropped. Of the i words before it, how many are also dropped, if `before` of
//     them are kept?
// hint: The first dropped word comes after all kept words; their number is sums[gridDim.x].
// hint: A dropped word goes to sums[gridDim.x] + i - before. Words past the end of the array
//     must not be stored.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

void solve(const unsigned* a, unsigned* c, unsigned* sums, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Words problem(attempt, "partition", attempt.n(), attempt.n());
    const auto words = std::make_shared<std::vector<std::uint32_t>>(problem.n);
    problem.input(0, problem.n, words->data());
    std::stable_partition(words->begin(), words->end(), [](auto x) { return x >> 31U == 0; });
    problem.expect(problem.n, [words](std::size_t first, std::size_t count, void* out) {
        std::memcpy(out, words->data() + first, count * sizeof(std::uint32_t));
    });
    const std::size_t lists = (problem.n + 255) / 256;
    common::Buffer<unsigned> sums;
    attempt.run(problem, [&] {
        sums = common::Buffer<unsigned>(lists + 1);
        solve(problem.a, problem.c, sums.data(), problem.n);
    });
    attempt.launches(3);
    attempt.stores_at_most((problem.n + 2 * lists + 1) * sizeof(unsigned));
}
