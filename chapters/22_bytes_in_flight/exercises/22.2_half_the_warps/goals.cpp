// 22.2: Keep bandwidth with half of the warps
// minutes: 20
// difficulty: 2
// practises: bytes in flight, loads before stores, rounds that are not whole
// hint: How many threads do four blocks have, and how many bytes must each have in flight for 32
//     KiB?
// hint: 32 bytes are eight floats. A store waits for the load of its value, and the compiler must
//     not move a later load before it, because a and c might overlap.
// hint: In each round, load eight floats into an array v, a block apart as in the page's kernel,
//     and store them in a second loop. Repeat while the last of the eight is below n; then process
//     single elements.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n, unsigned blocks);

void goals(common::Attempt& attempt)
{
    unsigned blocks = 122; // of the largest n each thread has 32 elements, and few are left over
    if (common::backend() == common::Backend::gpu || attempt.n() > 10'000'000) {
        blocks = 4 * common::attribute(cudaDevAttrMultiProcessorCount);
    }
    common::Arrays<float> problem(attempt, {.task = "twice"},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, blocks); });
    attempt.launches(1);
    attempt.threads_at_most(std::size_t{blocks} * 256);
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.bytes_in_flight(1024);
    const std::uint64_t sectors = attempt.counts().load_sectors;
    attempt.counted_goal(
        "sectors", "loads each sector of a once", sectors <= problem.n / 8 + 1024,
        common::filled_in("{} sectors are loaded, and a has {}.", {sectors, problem.n / 8 + 1}));
    attempt.threads_at_least(std::size_t{blocks} * 256);
    attempt.share_of_copy(0.80);
}
