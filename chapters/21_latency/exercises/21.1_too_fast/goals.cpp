// 21.1: Keep the loads dependent
// minutes: 10
// difficulty: 2
// practises: loads that depend on each other, latency and throughput
// hint: What must be known before a load can begin? When is it known in this chase?
// hint: The chase reads every link but follows none. A GPU waits for a value only where it is used,
//     and here it is used only for the checksum.
// hint: Set i to the value loaded from table[i] instead of computing it; then add it to the
//     checksum.
#include "common/exercise.hpp"

#include <algorithm>
#include <string>

void make_table(unsigned* table);
void walk(const unsigned* table, float* c, unsigned hops);

namespace {

constexpr unsigned lines_of_table = 1U << 16U;
constexpr unsigned words_of_line = 32;

/// Where a walk is, and all links to there, joined.
struct Place
{
    unsigned line = 0;
    unsigned seen = 0;
};

Place after(unsigned hops)
{
    Place place;
    for (unsigned hop = 0; hop < hops; ++hop) {
        place.line = (1664525U * place.line + 1) % lines_of_table;
        place.seen ^= place.line;
    }
    return place;
}

/// Where the walk arrives if the line `trap` leads to itself.
unsigned arrival(unsigned trap, float* c, unsigned hops)
{
    const common::Buffer<unsigned> table(lines_of_table * words_of_line);
    make_table(table.data());
    CHECK_CUDA(cudaMemcpy(table.data() + std::size_t{trap} * words_of_line, &trap, sizeof trap,
                          cudaMemcpyHostToDevice));
    walk(table.data(), c, hops);
    float line = 0;
    CHECK_CUDA(cudaMemcpy(&line, c, sizeof line, cudaMemcpyDeviceToHost));
    return static_cast<unsigned>(line);
}

} // namespace

void goals(common::Attempt& attempt)
{
    const unsigned hops =
        8 + static_cast<unsigned>(std::min<std::size_t>(attempt.n(), lines_of_table / 2));
    const Place end = after(hops);
    common::Arrays<float> problem(
        attempt, {.task = "chase", .n = 2, .inputs = 0, .size = hops},
        [=](auto&, std::size_t i) { return static_cast<float>(i == 0 ? end.line : end.seen); });
    common::Buffer<unsigned> table;
    attempt.run(problem, [&] {
        table = common::Buffer<unsigned>(lines_of_table * words_of_line);
        make_table(table.data());
        walk(table.data(), problem.c, hops);
    });
    const unsigned trap = after(hops / 2).line;
    const unsigned arrived = problem.c == nullptr ? trap : arrival(trap, problem.c, hops);
    attempt.goal("dependent", "follows the pointers in the table", arrived == trap,
                 "line " + std::to_string(trap) + ", to which the walk comes after " +
                     std::to_string(hops / 2) + " of " + std::to_string(hops) +
                     " hops, was made to lead to itself, and the walk arrived at line " +
                     std::to_string(arrived) +
                     " all the same: where it goes does not depend on what it loads.");
    attempt.loads_at_most(std::uint64_t{hops} * sizeof(unsigned));
}
