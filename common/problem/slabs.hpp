/// \file
/// A grid cut into slabs, one on each of several devices.
#pragma once

#include "common/problem/parts.hpp"

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
          std::size_t of_columns);

    const unsigned devices;    ///< a slab each
    const std::size_t rows;    ///< of a slab, without its halo
    const std::size_t columns; ///< of a row

    /// The device that has the rows below those of device `k`.
    [[nodiscard]] unsigned next(unsigned k) const { return (k + 1) % devices; }
    /// The one that has those above.
    [[nodiscard]] unsigned previous(unsigned k) const { return (k + devices - 1) % devices; }

  private:
    [[nodiscard]] float at(unsigned slab, std::size_t row, std::size_t column) const;
    [[nodiscard]] float sum(unsigned k, std::size_t y, std::size_t x) const;
};

} // namespace common
