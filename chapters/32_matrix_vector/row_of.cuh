// Which row of a sparse matrix an element is of.
#pragma once

// The row of element i: the last one that starts there or before.
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
