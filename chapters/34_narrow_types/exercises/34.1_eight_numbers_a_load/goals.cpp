// 34.1: Load eight bf16 values at once
// minutes: 15
// difficulty: 1
// practises: wide loads of low-precision values, values after the last whole load
// hint: Which CUDA type has 16 bytes and is loaded by one instruction?
// hint: Load a uint4, and copy it into a local array of eight values with memcpy(): it stays in
//     registers. Store in the same way.
// hint: Thread i has values 8 i to 8 i + 7, if i is below n / 8. The first threads process the n
//     % 8 values after them, one each.
#include "chapters/34_narrow_types/flips.hpp"
#include "common/exercise.hpp"

void solve(const __nv_bfloat16* a, __nv_bfloat16* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    Flips<__nv_bfloat16> problem(attempt, attempt.n());
    problem.expect([](float x) { return 1 - x; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(__nv_bfloat16));
    attempt.load_requests_at_most((problem.n / 8 + 31) / 32 + 1);
    attempt.store_requests_at_most((problem.n / 8 + 31) / 32 + 1);
}
