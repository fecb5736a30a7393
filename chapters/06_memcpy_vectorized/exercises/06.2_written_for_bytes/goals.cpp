// 06.2: Element counts and access counts
// minutes: 10
// difficulty: 2
// practises: units, words and bytes
// hint: Take n = 1009 units of two bytes. How many bytes is that, how many words of 16 bytes do
//     they fill, and how many words does the kernel copy?
// hint: n counts units, and sizeof(Access) counts bytes. Dividing one by the other is correct only
//     if a unit is a byte. Look at every place where the two meet.
// hint: A word holds sizeof(Access) / sizeof(Element) units. Use that in three places: the number
//     of words, the first unit of the tail and the number of blocks.
#include "common/exercise.hpp"

void solve(const unsigned short* a, unsigned short* c, std::size_t n);
void solve(const unsigned* a, unsigned* c, std::size_t n);

template<class Unit>
void copies(common::Attempt& attempt)
{
    common::Copy<Unit> problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(Unit));
    // A request for 32 words, a warp begun, and one for each unit of the tail.
    const std::size_t units = 16 / sizeof(Unit); // of a word
    const std::uint64_t requests = problem.n / (32 * units) + units;
    attempt.load_requests_at_most(requests);
    attempt.store_requests_at_most(requests);
}

void goals(common::Attempt& attempt)
{
    if (common::Setting(attempt).seed == 1)
        copies<unsigned short>(attempt);
    else
        copies<unsigned>(attempt);
}
