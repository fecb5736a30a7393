// 26.3: Commit one group of copies per iteration
// minutes: 20
// difficulty: 3
// practises: asynchronous copies in a pipeline, what a wait waits for
// hint: Follow a thread with only one element. Which groups has it closed when it reaches the wait,
//     and which of them does the wait leave out?
// hint: A thread with several elements is right in all iterations but its last. What does it not do
//     in the last iteration that it does in the others?
// hint: Close a group in each iteration, even if no copy was issued: the newest group is then
//     empty, and the wait covers the one before it. Or wait for all groups, with 0, in the last
//     iteration.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Arrays<float> problem(attempt, {.task = "twice"},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(8 * 256); // the blocks stay
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
    const std::uint64_t reads = attempt.counts().shared_load_requests;
    attempt.goal("staged", "takes its elements from shared memory",
                 !attempt.counted() || reads >= problem.n / 32,
                 common::filled_in("{} requests load from shared memory, of {} elements.",
                                   {reads, problem.n}));
    attempt.no_bank_conflicts();
    attempt.bytes_in_flight(256); // the element of this iteration and of the next, for 32 lanes
}
