// 18.1: Keep a reused window in registers
// minutes: 20
// difficulty: 2
// practises: data that are used again, registers in front of the caches
// hint: Which elements of c need the float a[5]? How far apart are they, and which threads compute
//     them?
// hint: A thread that computes several elements one window apart needs only one float of the
//     window. A thread that computes adjacent elements needs several.
// hint: Let each thread load one a[j], j below 512, and add it to the elements j, j + 512, j + 1024
//     and so on: to at least four of them, but few enough that there are blocks for all SMs.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    constexpr std::size_t window = 512;
    common::Arrays<float> problem(attempt, {.task = "window add"}, [](auto& in, std::size_t i) {
        return in.a[i] + in.a[i % window];
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.loads_at_most((problem.n + problem.n / 4 + window) * sizeof(float));
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.share_of_copy(0.60); // which few blocks do not
}
