// 03.2: Compute the sectors of an access pattern
// minutes: 10
// difficulty: 2
// practises: computing the sectors of a request from the index
// hint: A request is one load of 32 lanes. Write down the byte addresses that lanes 0, 1 and 31
//     load in the first step, and the 32-byte sectors between them.
// hint: All kernels load 4 bytes per lane. Lanes that load neighbours need 128 bytes together: four
//     sectors if they begin at a sector boundary. What does a distance of two or four elements
//     do?
// hint: The order of the lanes within the 128 bytes does not matter, and a start that is off by 4
//     bytes touches one more sector. That leaves two kernels, whose lanes are 8 and 16 bytes
//     apart.
#include "common/exercise.hpp"

void solve(unsigned kernel, const float* a, float* c, std::size_t n);
char row_of_shifted();
char row_of_two_neighbours();
char row_of_four_neighbours();
char row_of_backwards();

void goals(common::Attempt& attempt)
{
    common::Copy<float> problem(attempt, {.n = 1024});
    const auto launch = [&](unsigned kernel) {
        return [&, kernel] { solve(kernel, problem.a, problem.c, problem.n); };
    };
    attempt.rows(problem,
                 {"load_requests", "load_sectors", "load_sectors_per_request", "store_requests"},
                 {{"shifted", 'C', row_of_shifted(), launch(0)},
                  {"two_neighbours", 'A', row_of_two_neighbours(), launch(1)},
                  {"four_neighbours", 'D', row_of_four_neighbours(), launch(2)},
                  {"backwards", 'B', row_of_backwards(), launch(3)}});
}
