// A grid cut into slabs, one on each device, and the kernel that smooths a slab.
#pragma once

#include "common/chapter.hpp"

#include <vector>

//! [smooth]
// Each element of `rows` rows becomes the sum of itself and the elements above and below. The rows
// `above` the first and `below` the last may be in any memory, also of another device.
__global__ void smooth(const float* above, const float* a, const float* below, float* c,
                       std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = blockIdx.y;
    if (x < columns) {
        const std::size_t i = y * columns + x;
        const float up = y == 0 ? above[x] : a[i - columns];
        const float down = y + 1 == rows ? below[x] : a[i + columns];
        c[i] = up + a[i] + down;
    }
}
//! [smooth]

// Every element of a grid becomes the sum of itself and of those above and below. As many rows lie
// on every device; the last slab is followed by the first. An input begins and ends with a row of a
// neighbour's: a halo, which others have to fill.
class Slabs : public common::Parts
{
  public:
    Slabs(const common::Setting& setting, common::Team& team, unsigned of_devices,
          std::size_t of_rows, std::size_t of_columns)
        : Parts(setting, team, "smooth", of_devices * of_rows * of_columns,
                2 * of_devices * of_rows * of_columns * sizeof(float),
                std::vector<common::Part>(of_devices,
                                          {(of_rows + 2) * of_columns, of_rows * of_columns}),
                [this](unsigned k, std::size_t first, std::size_t count, float* out) {
                    for (std::size_t i = first; i < first + count; ++i) {
                        out[i - first] = sum(k, i / columns, i % columns);
                    }
                }),
          devices(of_devices), rows(of_rows), columns(of_columns)
    {
        halo = columns;
    }

    const unsigned devices;    // a slab each
    const std::size_t rows;    // of a slab, without its halo
    const std::size_t columns; // of a row

    // The devices that have the rows below and above those of device k.
    [[nodiscard]] unsigned next(unsigned k) const { return (k + 1) % devices; }
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
