// 04.1: Missing synchronization
// minutes: 5
// difficulty: 1
// practises: when an asynchronous call returns, cudaStreamSynchronize()
// hint: Which calls of solve() may return before their work is done? For each of them, which later
//     call makes the host wait for it?
// hint: cudaStreamSynchronize(stream) waits only for work that was queued on the stream before it.
//     cudaStreamDestroy() does not wait either.
// hint: One wait after the last copy is enough. None is needed between kernel and copy, because a
//     stream executes its work in order.
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
