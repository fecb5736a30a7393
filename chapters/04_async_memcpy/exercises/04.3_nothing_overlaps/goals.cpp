// 04.3: Find what prevents overlap
// minutes: 10
// difficulty: 2
// practises: the default stream; overlapping chunks
// hint: On which stream does each of the four calls in the loop run? One of them names no stream.
// hint: A launch that names no stream goes to the default stream. See the second rule of the page's
//     model: which streams wait for each other?
// hint: The stream is the fourth launch parameter, after the bytes of shared memory, here 0.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const float* host_a, const float* host_b, float* host_c, float* a, float* b, float* c,
           std::size_t n);

void goals(common::Attempt& attempt)
{
    using Kind = common::Operation::Kind;
    constexpr std::size_t pieces = 4;
    // Enough for four pieces of any size that a reader may round them to.
    common::HostVectorAdd problem(attempt, common::MemoryKind::pinned, attempt.n() + 100);
    attempt.run_transfer(problem, [&] {
        solve(problem.host_a, problem.host_b, problem.host_c, problem.a, problem.b, problem.c,
              problem.n);
    });
    std::uint64_t largest = 0;
    for (const common::Operation& operation : attempt.operations())
        largest = std::max(largest, operation.bytes * (operation.kind == Kind::copy_in));
    attempt.launches(pieces);
    attempt.counted_goal("quarters", "cuts each array into equal pieces",
                         largest <= problem.n + 1024,
                         common::filled_in("a copy to the device has {} bytes, and an array {}.",
                                           {largest, problem.n * sizeof(float)}));
    attempt.ordered(pieces);
    attempt.overlaps(pieces);
    attempt.waits();
}
