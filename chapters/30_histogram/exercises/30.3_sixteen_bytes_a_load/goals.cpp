// 30.3: Vectorized histogram
// minutes: 15
// difficulty: 2
// practises: 16-byte loads, the bytes of a word, bytes after the last whole vector
// hint: Which CUDA type has 16 bytes, and is loaded by one instruction?
// hint: A uint4 has four words, and byte k of a word is word >> 8 * k & 255. The array has n /
//     16 whole vectors; what remains?
// hint: The n % 16 bytes after the last vector begin at a[n / 16 * 16]. Let threads 0 to n % 16
//     - 1 of block 0 count one each, before the barrier.
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned char* a, unsigned* c, std::size_t n, unsigned blocks);

void goals(common::Attempt& attempt)
{
    constexpr unsigned blocks = 30; // fewer than the bytes have need of
    Histogram<std::uint8_t> problem(attempt, attempt.n(), Spread::uniform);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, blocks); });
    attempt.launches(1);
    attempt.threads_at_most(std::size_t{blocks} * 256);
    attempt.loads_at_most(problem.n);
    attempt.load_requests_at_most((problem.n / 16 + 31) / 32 + 1);
    attempt.threads_at_least(std::size_t{blocks} * 256);
}
