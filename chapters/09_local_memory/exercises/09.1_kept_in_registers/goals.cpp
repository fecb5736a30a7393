// 09.1: Keep a per-thread array in registers
// minutes: 10
// difficulty: 2
// practises: what puts an array into local memory, selecting a value instead of an index
// hint: Registers cannot be indexed. Which of the two accesses to x has an index that is not a
//     constant after the loop is unrolled?
// hint: For a given k only two elements of x are possible, and both indices are constants once the
//     loop is unrolled. The thread only has to choose between the two values.
// hint: Write the condition between two elements, not between two indices: condition ? x[...] :
//     x[...].
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "turn odd"}, [n](auto& in, std::size_t i) {
        const std::size_t k = i / 256 % 4;
        const std::size_t source = i % 2 == 1 ? i + 3 * 256 - 2 * k * 256 : i;
        return source < n ? in.a[source] : 0.0f;
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(n * sizeof(float));
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.threads_at_most((n + 3) / 4); // four elements each
    attempt.keeps_arrays_in_registers();
    const common::Counts& counts = attempt.counts();
    attempt.counted_goal(
        "detour", "does not go through shared memory", counts.shared_load_requests == 0,
        common::filled_in("Load requests to shared memory: {}.", {counts.shared_load_requests}));
}
