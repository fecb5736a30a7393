// Where a row lies: functors that map row r to its place, for the row read and the row written.
#pragma once

#include <cstddef>

//! [where]
// Row r is where it is.
struct Here
{
    const unsigned* nothing;
    __device__ std::size_t operator()(std::size_t r) const { return r; }
};

// Row r is where its index says.
struct Indexed
{
    const unsigned* index;
    __device__ std::size_t operator()(std::size_t r) const { return index[r]; }
};

// Row r is in a page of 16 rows, and that is where the table of pages says.
struct Paged
{
    const unsigned* page;
    __device__ std::size_t operator()(std::size_t r) const
    {
        return std::size_t{page[r / 16]} * 16 + r % 16;
    }
};
//! [where]
