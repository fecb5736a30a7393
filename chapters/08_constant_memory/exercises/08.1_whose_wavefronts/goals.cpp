// 08.1: Count constant-cache wavefronts
// minutes: 10
// difficulty: 1
// practises: wavefronts of constant memory, distinct words per warp
// hint: One of the kernels never reads constant memory. Which counts of its row does that
//     determine?
// hint: All kernels that read constants issue one request per warp. A request takes one wavefront
//     for each different word that its lanes access. How many different words are that for i %
//     32, for i / 32 % 32 and for 4 * i % 32, over the 32 lanes of a warp?
// hint: i / 32 is the same in all lanes of a warp. 4 * i % 32 is 0, 4, 8, ... and repeats after
//     eight lanes. Divide the wavefronts of each row by its requests.
#include "common/exercise.hpp"

void solve(unsigned kernel, const float* a, float* c, std::size_t n);
char row_of_one_per_lane();
char row_of_one_per_warp();
char row_of_every_fourth();
char row_of_in_global_memory();

void goals(common::Attempt& attempt)
{
    common::Copy<float> problem(attempt, {.n = 1024});
    const auto launch = [&](unsigned kernel) {
        return [&, kernel] { solve(kernel, problem.a, problem.c, problem.n); };
    };
    attempt.rows(problem,
                 {"load_requests", "load_sectors", "constant_requests", "constant_wavefronts"},
                 {{"one_a_lane", 'B', row_of_one_per_lane(), launch(0)},
                  {"one_a_warp", 'D', row_of_one_per_warp(), launch(1)},
                  {"every_fourth", 'A', row_of_every_fourth(), launch(2)},
                  {"in_global_memory", 'C', row_of_in_global_memory(), launch(3)}});
}
