// 05.1: Vectorize with float4
// minutes: 15
// difficulty: 2
// practises: vector accesses, the tail
// hint: How many whole vectors of four are there in n elements, and how many elements are left? How
//     many threads do you need for both?
// hint: Load a float4 through a pointer to float4. This pointer counts in vectors: vector i has the
//     elements 4 i to 4 i + 3. make_float4() builds the result.
// hint: Thread i < n / 4 computes vector i. Thread n / 4 computes the elements from 4 * (n / 4) on,
//     one by one. So the grid needs n / 4 + 1 threads.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Arrays<float> problem(attempt, {.task = "combine", .inputs = 2},
                                  [](auto& in, std::size_t i) { return 3 * in.a[i] - in.b[i]; });
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(float));
    // A request for 128 elements, and one for each element of the tail.
    const std::uint64_t requests = (problem.n / 4 + 31) / 32 + 3;
    attempt.load_requests_at_most(2 * requests);
    attempt.store_requests_at_most(requests);
    attempt.threads_at_most(problem.n / 4 + 1);
    attempt.share_of_copy(0.85);
}
