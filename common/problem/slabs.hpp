/// \file
/// A grid cut into slabs, one on each of several devices.
#pragma once

#include "common/problem/parts.hpp"

#include <algorithm>
#include <vector>

namespace common {

/// Every element of a grid becomes the sum of itself and of those above and below. As many rows lie
/// on every device; the last slab is followed by the first. An input begins and ends with a row of
/// a neighbour's: a halo, which others have to fill.
class Slabs : public Parts
{
  public:
    /// `slabs` devices with `of_rows` rows of `of_columns` floats each: as many as the team has, or
    /// more where it is only listed.
    Slabs(const Setting& setting, Team& team, unsigned slabs, std::size_t of_rows,
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

    const unsigned devices;    ///< a slab each
    const std::size_t rows;    ///< of a slab, without its halo
    const std::size_t columns; ///< of a row

    /// The device that has the rows below those of device `k`.
    [[nodiscard]] unsigned next(unsigned k) const { return (k + 1) % devices; }
    /// The one that has those above.
    [[nodiscard]] unsigned previous(unsigned k) const { return (k + devices - 1) % devices; }

  private:
    [[nodiscard]] float at(unsigned slab, std::size_t row, std::size_t column) const
    {
        float value = 0;
        input(slab, (row + 1) * columns + column, 1, &value);
        return value;
    }
    [[nodiscard]] float sum(unsigned k, std::size_t y, std::size_t x) const
    {
        const float up = y == 0 ? at(previous(k), rows - 1, x) : at(k, y - 1, x);
        const float down = y + 1 == rows ? at(next(k), 0, x) : at(k, y + 1, x);
        return up + at(k, y, x) + down;
    }
};

} // namespace common
