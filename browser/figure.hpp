/// \file
/// What stands in front of the kernels of a figure (figures.json): what a reader has chosen, and
/// the arrays that they work on, both of which figures.cpp has.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

extern "C" {
std::size_t figure_number(const char* setting);
bool figure_asks_for(const char* kernel);
void* figure_array(unsigned number, std::size_t bytes);
}

namespace figure {

/// An array of device memory, as pointer to whatever a kernel needs.
struct Array
{
    Array(unsigned number, std::size_t bytes) : memory(figure_array(number, bytes)) {}

    template<class T>
    operator T*() const
    {
        return static_cast<T*>(memory);
    }

    void* memory;
};

/// As common::blocks().
inline unsigned blocks(std::size_t elements, std::size_t per_block)
{
    return static_cast<unsigned>((elements + per_block - 1) / per_block);
}

/// Of a matrix by blocks that cover so much of it each; `down`: blockIdx.x runs down its rows.
inline dim3 tiles(std::size_t rows, std::size_t columns, unsigned x, unsigned y, bool down = false)
{
    return dim3(blocks(down ? rows : columns, x), blocks(down ? columns : rows, y));
}

} // namespace figure
