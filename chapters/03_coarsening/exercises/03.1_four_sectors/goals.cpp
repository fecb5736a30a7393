// 03.1: Four sectors per load
// minutes: 15
// difficulty: 2
// practises: coalesced accesses, a loop that strides by the block, loads before stores
// hint: In one step of the loop, which elements do lanes 0, 1, 2 and 3 load? How many bytes apart
//     are they?
// hint: Neighbouring lanes must load neighbouring elements in the same step. Then the thread's next
//     element cannot be the neighbour of its first.
// hint: Let the block load blockDim.x neighbouring elements in each step: a thread begins at its
//     index in the block and advances by blockDim.x. No load may move ahead of an earlier store,
//     so load in one loop, into float x[per_thread], and store in a second.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.threads_at_most((problem.n + 3) / 4); // four elements each
    attempt.bytes_in_flight(1024);                // four of a and four of b, of 32 lanes
    attempt.share_of_copy(0.80);
    attempt.past_32_bits([&](std::size_t n, std::size_t first) {
        solve(problem.a - first, problem.b - first, problem.c - first, n);
    });
}
