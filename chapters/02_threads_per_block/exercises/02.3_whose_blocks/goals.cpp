// 02.3: Count the partial warps of a block size
// minutes: 10
// difficulty: 2
// practises: how a block is divided into warps
// hint: All lanes of a warp belong to one block: the first 32 threads, then the next. How many
//     warps does a block of 48 threads have, and how many lanes does each have?
// hint: Each warp issues one load request. Multiply the blocks for 960 elements by the warps per
//     block. Two of the sizes need a second warp without filling it.
// hint: A full warp touches four sectors, a warp of 16 lanes two, one of 8 lanes one. A block of 48
//     threads touches 4 + 2 sectors in two requests, a block of 40 touches 4 + 1.
#include "common/exercise.hpp"

void solve(unsigned threads, const float* a, float* c, std::size_t n);
char row_of_blocks_of_16();
char row_of_blocks_of_40();
char row_of_blocks_of_48();
char row_of_blocks_of_64();

void goals(common::Attempt& attempt)
{
    common::Copy<float> problem(attempt, {.n = 960});
    const auto launch = [&](unsigned threads) {
        return [&, threads] { solve(threads, problem.a, problem.c, problem.n); };
    };
    attempt.rows(problem, {"load_requests", "load_sectors", "load_sectors_per_request"},
                 {{"blocks of 16 threads", 'B', row_of_blocks_of_16(), launch(16)},
                  {"blocks of 40 threads", 'D', row_of_blocks_of_40(), launch(40)},
                  {"blocks of 48 threads", 'A', row_of_blocks_of_48(), launch(48)},
                  {"blocks of 64 threads", 'C', row_of_blocks_of_64(), launch(64)}});
}
