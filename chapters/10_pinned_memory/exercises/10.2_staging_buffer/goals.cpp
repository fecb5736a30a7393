// 10.2: Reuse a buffer only after its copy has finished
// minutes: 15
// difficulty: 2
// practises: when an asynchronous copy reads its source, waiting for it
// hint: Does the host or the GPU run fill(), and when? Which of the calls in the loop return before
//     their work is done?
// hint: From page-locked memory cudaMemcpyAsync only queues the copy. The host goes on, and the
//     next fill() writes to the buffer while the previous copy may still read it.
// hint: The host must wait for the copy before it calls fill() again: call cudaStreamSynchronize
//     after the copy, or record an event after the copy and wait for it before the next fill().
#include "common/exercise.hpp"

#include <algorithm>

using Fill = void (*)(float* buffer, std::size_t first, std::size_t count);

void solve(Fill fill, float* c, std::size_t n, std::size_t piece);

void goals(common::Attempt& attempt)
{
    static const float* source = nullptr; // what fill() makes is there already
    common::Arrays<float> problem(attempt, {.task = "twice", .input = common::MemoryKind::pageable},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    const Fill fill = [](float* buffer, std::size_t first, std::size_t count) {
        common::note_host_write("fill", buffer, count * sizeof(float));
        std::copy_n(source + first, count, buffer);
    };
    const std::size_t piece = (problem.n + 7) / 8;
    attempt.run_transfer(problem, [&] {
        source = problem.a;
        solve(fill, problem.c, problem.n, piece);
    });
    attempt.copies_from_pinned();
    attempt.host_waits();
    attempt.ordered((problem.n + piece - 1) / piece);
    attempt.waits();
}
