// 14.3: Compute an aligned pitch
// minutes: 20
// difficulty: 3
// practises: choosing a pitch, rows that overlap, space for the padding
// hint: A row has 100 elements. Which bytes of t does row 0 occupy, and at which byte does row 1
//     begin? In which columns are the wrong elements?
// hint: own_pitch rounds down. A row of 400 bytes then overlaps the beginning of the next row, and
//     the last write wins. Which multiple of a sector is the smallest that holds a row?
// hint: Add 31 to the bytes of a row before you divide by 32. With the larger pitch t needs more
//     memory than its elements: one pitch per row.
#include "common/exercise.hpp"

#include <string>

std::size_t own_pitch(std::size_t columns);
void solve(const float* a, float* c, std::size_t columns, std::size_t rows, std::size_t pitch);

namespace {

/// What is wrong with the pitch of some number of columns; empty if nothing is.
std::string fault()
{
    for (const std::size_t columns : {100U, 1U, 8U, 97U, 104U, 1024U}) {
        const std::size_t smallest = (columns + 7) / 8 * 32; // a sector has eight floats
        if (own_pitch(columns) != smallest)
            return common::filled_in("the pitch of {} columns is {} bytes; {} are enough.",
                                     {columns, own_pitch(columns), smallest});
    }
    return {};
}

} // namespace

void goals(common::Attempt& attempt)
{
    // A grid has at most 65,535 blocks in y: the large arrays of a GPU get longer rows.
    const std::size_t columns = attempt.n() > 10'000'000 ? 10'000 : 100;
    const std::size_t rows = (attempt.n() + columns - 1) / columns;
    common::Arrays<float> problem(
        attempt, {.task = "add mirrored", .n = rows * columns, .columns = columns, .pitched = true},
        [columns](auto& in, std::size_t i) {
            const std::size_t column = i % columns;
            return in.a[i] + in.a[i - column + columns - 1 - column];
        });
    attempt.run(problem, [&] { solve(problem.a, problem.c, columns, rows, problem.pitch()); });
    attempt.launches(2);
    attempt.stores_at_most(2 * problem.n * sizeof(float));
    attempt.sectors_per_store(3.25); // three warps of a row touch four sectors, the last one
    attempt.goal("pitch", "has the smallest pitch that lets each row begin at a sector",
                 fault().empty(), fault());
    attempt.frees_memory();
}
