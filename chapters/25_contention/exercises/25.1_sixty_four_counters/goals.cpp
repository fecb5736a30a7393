// 25.1: Spread contended atomics
// minutes: 20
// difficulty: 2
// practises: contended counters, sectors of atomics, counters in shared memory
// hint: Does any thread need the counters' values while the kernel runs? How many threads could
//     share a copy of them?
// hint: Let each block count in 64 counters of its own in shared memory. atomicAdd works there,
//     too, and only threads of the block queue. Which values must these counters have at first?
// hint: Set the block's counters to 0, wait at a barrier, count, wait again, and let 64 threads add
//     them to c with one atomicAdd each. The more words a block counts, the fewer sectors it sends.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <vector>

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    constexpr unsigned counters = 64;
    const std::size_t n = attempt.n();
    common::Words problem(attempt, "count", n, n);
    std::vector<unsigned> words(n);
    problem.input(0, n, words.data());
    std::vector<unsigned> hits(counters);
    for (const unsigned word : words) {
        ++hits[word % counters];
    }
    problem.background = 0;
    problem.moved = n * sizeof(unsigned);
    problem.expect_words(counters, [&](std::size_t k) { return hits[k]; });

    attempt.run(problem, [&] { solve(problem.a, problem.c, n); });
    attempt.launches(1);
    attempt.stores_at_most(0); // a counter that is loaded and stored loses what others add
    attempt.loads_at_most(n * sizeof(unsigned));
    const std::size_t sectors = attempt.counts().atomic_sectors;
    const std::size_t most = n / 16 + 64; // blocks of 128 words, each with eight sectors
    attempt.at_most("atomic_sectors", "sends few atomic sectors to the L2",
                    "atomic sectors, each repeated for its busiest counter", sectors, most);
    const std::size_t shared =
        attempt.counts().shared_load_requests + attempt.counts().shared_store_requests;
    const std::size_t enough = n / 24 + 64; // to clear and to read the counters of many blocks
    attempt.counted_goal(
        "shared", "updates shared counters by atomics", shared <= enough,
        common::filled_in("{} requests load from or store to shared memory; {} are enough. "
                          "If a counter is loaded, incremented and stored, a GPU loses what other "
                          "threads add in between.",
                          {shared, enough}));
}
