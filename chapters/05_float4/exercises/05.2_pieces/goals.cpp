// 05.2: Align pieces for vector loads
// minutes: 10
// difficulty: 2
// practises: alignment of a pointer after an addition
// hint: The message names an address, and the number that it must be a multiple of. For n = 101, at
//     which element does the second piece begin, and how many bytes is that from the start of the
//     array?
// hint: The kernel casts the start of a piece to float4, so that address must be a multiple of 16.
//     It is if each piece begins at an element whose index is a multiple of four.
// hint: Round the length of a piece up to a multiple of four. The last piece gets the remaining
//     elements, and the kernel handles its tail.
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
