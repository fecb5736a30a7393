// 30.2: Overflow of packed counters
// minutes: 15
// difficulty: 2
// practises: several counters per word, the range of a counter
// hint: How many of a block's bytes can be equal? How many bits does that number need?
// hint: A 16-bit counter can hold all bytes of a block. How many such counters fit a word, and
//     what in the kernel depends on that?
// hint: Let a word have two counters. Everything else follows from per_word.
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned char* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const common::Setting setting = attempt;
    Histogram<std::uint8_t> problem(attempt, attempt.n(),
                                    setting.seed == 2 ? Spread::equal : Spread::skewed);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n);
    const std::uint64_t most = (problem.n + 4095) / 4096 * 32; // 256 counters per block
    attempt.at_most("atomics", "adds to c as often as blocks of 4096 bytes do", "atomic sectors",
                    attempt.counts().atomic_sectors, most);
}
