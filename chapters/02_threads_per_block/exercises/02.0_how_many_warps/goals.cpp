// 02.0: Count the warps of a block
// minutes: 5
// difficulty: 1
// practises: how a block is divided into warps, requests
// hint: The first 32 threads of a block are its first warp, the next 32 the second. How many are
//     left after the third?
// hint: Two blocks never share a warp. The remaining threads of a block get a warp, too, whose
//     other lanes stay empty.
// hint: This kernel has one load. Each warp issues one request for it, full or not: multiply the
//     warps per block by the number of blocks.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);
unsigned warps_of_a_block();
unsigned threads_of_its_last_warp();
unsigned load_requests();

void goals(common::Attempt& attempt)
{
    constexpr unsigned threads = 100; // of a block
    const unsigned warps = warps_of_a_block();
    const unsigned last = threads_of_its_last_warp();
    const unsigned requests = load_requests();
    common::Copy<float> problem(attempt, {.n = 1000});
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.goal("warps", "knows the warps of a block", warps == (threads + 31) / 32,
                 common::filled_in("the answer {} means {} lanes for the {} threads of a block.",
                                   {warps, warps * 32, threads}));
    attempt.goal("last", "knows the threads of its last warp", last == threads % 32,
                 common::filled_in("the answer {} leaves {} threads for the full warps of a block.",
                                   {last, threads - last}));
    attempt.counted_goal(
        "requests", "knows the load requests of the launch",
        requests == attempt.counts().load_requests,
        common::filled_in("{} were not counted. Each warp of each of the 10 blocks issues one.",
                          {requests}));
}
