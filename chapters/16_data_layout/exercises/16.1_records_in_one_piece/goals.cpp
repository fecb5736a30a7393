// 16.1: Load a structure with one vector access
// minutes: 10
// difficulty: 1
// practises: records that are aligned and moved whole
// hint: A record has 16 bytes. What is the widest load that a thread can make, and what must be
//     true of the record's address for that?
// hint: CUDA has a type of four floats that one instruction loads: float4. A pixel may be taken for
//     one, since the picture begins at a multiple of 16 bytes, and so each pixel does.
// hint: Let the kernel take const float4* and float4*. Load a[i] into a variable, and store
//     make_float4() of its members, z first.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t records = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "swap colours", .n = 4 * records},
                                  [](auto& in, std::size_t i) {
                                      const std::size_t field = i % 4;
                                      return in.a[field % 2 == 0 ? i - field + (2 - field) : i];
                                  });
    attempt.run(problem, [&] { solve(problem.a, problem.c, records); });
    attempt.launches(1);
    attempt.load_requests_at_most((records + 31) / 32);
    attempt.store_requests_at_most((records + 31) / 32);
    attempt.share_of_copy(0.85);
}
