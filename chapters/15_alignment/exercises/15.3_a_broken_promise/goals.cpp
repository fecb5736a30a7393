// 15.3: Aliasing and __restrict__
// minutes: 10
// difficulty: 2
// practises: __restrict__, arrays that overlap, what orders the threads of a grid
// hint: Which thread writes the element that thread 11 reads? Which of the two runs first?
// hint: __restrict__ promises that the two arrays do not overlap, but here they are the same array.
//     Removing the promise does not help: nothing orders the blocks of one launch.
// hint: Write the delayed signal from c to scratch. A second operation in the same stream begins
//     only when all blocks are done: use it to copy the samples back to c.
#include "common/exercise.hpp"

void solve(float* c, float* scratch, std::size_t n, std::size_t offset);

void goals(common::Attempt& attempt)
{
    const std::size_t offset = 11;
    common::Arrays<float> problem(
        attempt, {.task = "delay", .bytes = attempt.n() * sizeof(float)},
        [=](auto& in, std::size_t i) { return i < offset ? 0.0f : in.a[i - offset]; });
    common::Buffer<float> scratch;
    attempt.run(problem, [&] {
        scratch = common::Buffer<float>(problem.n);
        CHECK_CUDA(
            cudaMemcpy(problem.c, problem.a, problem.n * sizeof(float), cudaMemcpyDeviceToDevice));
        solve(problem.c, scratch.data(), problem.n, offset);
    });
    // A launch to scratch and one back, with a warp begun and one that straddles the offset.
    attempt.load_requests_at_most(2 * (problem.n / 32 + 2));
    attempt.stores_at_most(2 * problem.n * sizeof(float));
}
