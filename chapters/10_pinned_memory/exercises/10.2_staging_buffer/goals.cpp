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
    static const float* used = nullptr;   // the buffer
    static bool one_buffer = true;
    common::Arrays<float> problem(attempt, {.task = "twice", .input = common::MemoryKind::pageable},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    const Fill fill = [](float* buffer, std::size_t first, std::size_t count) {
        common::note_host_write("fill", buffer, count * sizeof(float));
        std::copy_n(source + first, count, buffer);
        one_buffer = one_buffer && (used == nullptr || used == buffer);
        used = buffer;
    };
    const std::size_t piece = (problem.n + 7) / 8;
    cudaPointerAttributes left{};
    attempt.run_transfer(problem, [&] {
        source = problem.a;
        used = nullptr;
        one_buffer = true;
        solve(fill, problem.c, problem.n, piece);
        CHECK_CUDA(cudaPointerGetAttributes(&left, used));
    });
    attempt.copies_from_pinned();
    attempt.goal("one_buffer", "uses the one buffer for all pieces", one_buffer,
                 "fill() was called with different addresses.");
    attempt.host_waits();
    attempt.ordered((problem.n + piece - 1) / piece);
    attempt.waits();
    attempt.goal("freed", "frees the buffer", left.type == cudaMemoryTypeUnregistered,
                 "the buffer is still page-locked when the answer returns.");
}
