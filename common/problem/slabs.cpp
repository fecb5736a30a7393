#include "common/problem/slabs.hpp"

#include <vector>

namespace common {

Slabs::Slabs(const Setting& setting, Team& team, unsigned slabs, std::size_t of_rows,
             std::size_t of_columns)
    : Parts(setting, team, "smooth", slabs * of_rows * of_columns,
            2 * slabs * of_rows * of_columns * sizeof(float),
            std::vector<Part>(slabs, {(of_rows + 2) * of_columns, of_rows * of_columns}),
            [this](unsigned k, std::size_t first, std::size_t count, float* out) {
                for (std::size_t i = first; i < first + count; ++i)
                    out[i - first] = sum(k, i / columns, i % columns);
            }),
      devices(slabs), rows(of_rows), columns(of_columns)
{
    halo = columns;
}

float Slabs::at(unsigned slab, std::size_t row, std::size_t column) const
{
    float value = 0;
    input(slab, (row + 1) * columns + column, 1, &value);
    return value;
}

float Slabs::sum(unsigned k, std::size_t y, std::size_t x) const
{
    const float up = y == 0 ? at(previous(k), rows - 1, x) : at(k, y - 1, x);
    const float down = y + 1 == rows ? at(next(k), 0, x) : at(k, y + 1, x);
    return up + at(k, y, x) + down;
}

} // namespace common
