// 36.1: Missing barrier in a double buffer
// minutes: 20
// difficulty: 2
// practises: barriers in a pipeline, which thread waits for which copies
// hint: A wait for groups concerns only the thread itself: it waits for its own copies. What
//     does thread 0 know of the copy that thread 1 has issued?
// hint: A step can be wrong in two ways: it reads before a neighbour's copy has arrived, or it
//     overwrites a slot that a neighbour still reads. Each needs a barrier.
// hint: One barrier between the wait and the reads, and one between the reads and the next copy:
//     after the store, at the end of the loop. All threads of the block must reach both.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "add neighbours"}, [n](auto& in, auto i) {
        return (i > 0 ? in.a[i - 1] : 0) + in.a[i] + (i + 1 < n ? in.a[i + 1] : 0);
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(8 * 256); // the blocks stay
    // each tile has two elements of its neighbours, in sectors of their own
    attempt.loads_at_most(problem.n * sizeof(float) + problem.n / 256 * 64 + 1024);
    attempt.stores_at_most(problem.n * sizeof(float));
    const std::uint64_t reads = attempt.counts().shared_load_requests;
    attempt.goal("staged", "takes its elements from shared memory",
                 !attempt.counted() || reads >= 3 * (problem.n / 32),
                 common::filled_in("{} requests load from shared memory, of {} elements.",
                                   {reads, problem.n}));
    attempt.bytes_in_flight(128); // of 32 lanes: the next tile is in flight while they wait
}
