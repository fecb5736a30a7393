// The row of an element of a sparse matrix, by binary search.
#pragma once

// Returns the row of element i: the last row that starts at i or before. start[r] is the first
// element of row r.
__device__ inline unsigned row_of(const unsigned* start, std::size_t rows, unsigned i)
{
    unsigned row = 0;
    auto end = static_cast<unsigned>(rows);
    while (end - row > 1) {
        const unsigned middle = (row + end) / 2;
        if (start[middle] <= i) {
            row = middle;
        } else {
            end = middle;
        }
    }
    return row;
}
