// 27.1: Map blocks to elements in a given order
// minutes: 15
// difficulty: 2
// practises: the order of blocks, permutations
// hint: With 20 blocks, what is the place of block 16? Which other block has the same place, and
//     which places are missing?
// hint: 20 blocks in sixteen parts: four parts have two and the others one. Where does each part
//     begin?
// hint: If the first blocks % 16 parts are one block longer, part p begins at p times blocks / 16,
//     plus p or blocks % 16, whichever is less. It is copied by blocks p, p + 16 and so on, as now.
#include "common/exercise.hpp"

#include <string>
#include <vector>

unsigned place_of(unsigned turn, unsigned blocks);
void solve(const float* a, float* c, std::size_t n);

namespace {

/// What is wrong with the order of so many blocks; empty if they go by turns from sixteen parts,
/// each from its beginning, but for those that do not make sixteen more.
std::string fault_of(unsigned blocks)
{
    constexpr unsigned parts = 16;
    std::vector<bool> taken(blocks);
    for (unsigned turn = 0; turn < blocks; ++turn) {
        const unsigned place = place_of(turn, blocks);
        if (place >= blocks || taken[place]) {
            return common::filled_in(
                "place_of({}, {}) is {}, which is {}.",
                {turn, blocks, place,
                 place >= blocks ? "not below the second number" : "taken twice"});
        }
        taken[place] = true;
        const unsigned before = turn < parts ? place : place_of(turn - parts, blocks) + 1;
        if (turn < blocks / parts * parts && place != before) {
            return common::filled_in("place_of({}, {}) is {}; the next block of that part is {}.",
                                     {turn, blocks, place, before});
        }
    }
    return "";
}

} // namespace

void goals(common::Attempt& attempt)
{
    common::Copy<float> problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.threads_at_most(problem.n);
    std::string fault;
    for (const unsigned blocks : {1U, 20U, 47U, 64U, 1009U}) {
        fault = fault.empty() ? fault_of(blocks) : fault;
    }
    attempt.goal("turns", "cycles through sixteen parts of the array", fault.empty(), fault);
}
