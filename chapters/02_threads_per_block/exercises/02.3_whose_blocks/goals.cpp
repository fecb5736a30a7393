// 02.3: Count the partial warps of a block size
// minutes: 10
// difficulty: 2
// practises: how a block is cut into warps
// hint: A warp takes its lanes from one block only, the first 32 threads, then the next. How many
//     warps has a block of 48 threads, and how many lanes has each?
// hint: Each warp makes one load request. Multiply: blocks for 960 elements, times warps per block.
//     Two sizes need more than one warp a block without filling the second.
// hint: A full warp touches four sectors, one of 16 lanes two, one of 8 lanes one. A block of 48
//     has 4 + 2 sectors in two requests, one of 40 has 4 + 1.
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
