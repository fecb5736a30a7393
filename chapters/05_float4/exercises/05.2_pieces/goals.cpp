// 05.2: Align pieces for vector loads
// minutes: 10
// difficulty: 2
// practises: alignment of a pointer to which something was added
// hint: The message names an address, and what it should be a multiple of. For n = 101, at which
//     element does the second piece begin, and how many bytes is that from the array's start?
// hint: The start of a piece is a promise to the kernel: it casts it to float4. It is kept if each
//     piece begins at an element whose number is a multiple of four.
// hint: Round the length of a piece up to a multiple of four. The last piece gets what is left, and
//     its tail is the kernel's business.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    // Enough for four pieces, however they are rounded.
    common::VectorAdd problem(attempt, {.n = attempt.n() + 100});
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(4);
    attempt.stores_at_most(problem.n * sizeof(float));
    // Wide loads of both inputs, a warp begun in each piece, and up to six narrow ones before and
    // behind.
    attempt.load_requests_at_most(2 * (problem.n / 128 + 4 * (1 + 6)));
}
