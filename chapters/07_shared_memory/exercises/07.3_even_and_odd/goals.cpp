// 07.3: Avoid bank conflicts by padding
// minutes: 20
// difficulty: 3
// practises: banks of shared memory, padding
// hint: Word w of the tile is in bank w % 32. Write down the banks that lanes 0, 1, 15, 16 and 17
//     of the first warp load from. Which lanes share a bank?
// hint: Lanes 0 to 15 use the even banks. The words of lanes 16 to 31 are 32 words later, so they
//     use the same banks. A shift by one word would move them to the odd banks.
// hint: Leave one word free after every 32: store and load element k in slot k + k / 32. The tile
//     grows by threads / 32 words.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "even and odd"}, [n](auto& in, std::size_t i) {
        const std::size_t k = i % 256;
        return i - k + 256 <= n ? in.a[i - k + k % 128 * 2 + k / 128] : in.a[i];
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.stores_at_most(n * sizeof(float));
    attempt.no_bank_conflicts();
}
