// Functors that map row r of a task to a row of the array that is read or written.
#pragma once

#include <cstddef>

//! [where]
// Row r itself.
struct Identity
{
    const unsigned* unused;
    __device__ std::size_t operator()(std::size_t r) const { return r; }
};

// Row index[r].
struct Indexed
{
    const unsigned* index;
    __device__ std::size_t operator()(std::size_t r) const { return index[r]; }
};

// Row r of a cache in pages of 16 rows, whose page numbers are in a page table.
struct Paged
{
    const unsigned* page_table;
    __device__ std::size_t operator()(std::size_t r) const
    {
        return std::size_t{page_table[r / 16]} * 16 + r % 16;
    }
};
//! [where]
