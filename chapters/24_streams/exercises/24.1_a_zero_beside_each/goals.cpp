// 24.1: Write whole sectors
// minutes: 10
// difficulty: 1
// practises: sectors that are written in part, passes over an array
// hint: How many bytes of each sector does a store request of the kernel write? Where must memory
//     get the others from, and what wrote them?
// hint: The kernel knows the value next to each element. Storing it as well touches no more sectors
//     if the same request stores both.
// hint: An element and its zero are a float2. Store make_float2(a[i], 0), and remove the clearing.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(
        attempt, {.task = "widen", .n = 2 * n, .size = n, .bytes = 3 * n * sizeof(float)},
        [](auto& in, std::size_t i) { return i % 2 == 0 ? in.a[i / 2] : 0.0F; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, n); });
    const common::Counts& counts = attempt.counts();
    const std::size_t touched = counts.store_sectors * common::Counts::sector_bytes;
    const std::size_t stored = counts.store_bytes;
    // The last sector is as long as c is.
    attempt.counted_goal("whole", "stores every sector whole, with one request",
                         touched < stored + common::Counts::sector_bytes,
                         common::filled_in("the requests store {} bytes, and the sectors that they "
                                           "touch have {}.",
                                           {stored, touched}));
    const auto& operations = attempt.operations();
    const std::size_t passes = static_cast<std::size_t>(
        std::count_if(operations.begin(), operations.end(), [](const auto& operation) {
            return operation.kind == common::Operation::Kind::device_work;
        }));
    attempt.counted_goal(
        "once", "writes c with one operation", passes == 1 && stored == 2 * n * sizeof(float),
        common::filled_in("kernels and fills: {}; stored by kernels: {} bytes, where c has {}.",
                          {passes, stored, 2 * n * sizeof(float)}));
    attempt.loads_at_most(n * sizeof(float));
}
