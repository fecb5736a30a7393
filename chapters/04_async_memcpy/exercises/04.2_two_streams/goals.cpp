// 04.2: Dependencies between two streams
// minutes: 10
// difficulty: 2
// practises: the order within a stream, and between streams
// hint: The kernel needs a and b. On which streams are they copied, on which does the kernel run,
//     and what makes it wait for each copy?
// hint: In a stream, each operation waits for the previous one. Between two streams there is no
//     order unless you create one. The waits at the end come too late for the kernel.
// hint: Queue both copies on the kernel's stream. Or keep two streams: record an event on the
//     second after its copy, and let the first wait for it: cudaEventRecord(),
//     cudaStreamWaitEvent().
#include "common/exercise.hpp"

void solve(const float* host_a, const float* host_b, float* host_c, float* a, float* b, float* c,
           std::size_t n);

void goals(common::Attempt& attempt)
{
    common::HostVectorAdd problem(attempt, common::MemoryKind::pinned);
    attempt.run_transfer(problem, [&] {
        solve(problem.host_a, problem.host_b, problem.host_c, problem.a, problem.b, problem.c,
              problem.n);
    });
    attempt.ordered();
    attempt.waits();
}
