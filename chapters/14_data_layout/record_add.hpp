/// \file
/// Records of several fields, in one of three layouts.
#pragma once

#include "common/problem/problem.hpp"

#include <cstddef>
#include <cstdint>

namespace common {

/// Where field `k` of record `i` lies among the floats of an array of `n` records.
enum class RecordLayout
{
    array_of_structures, ///< the fields of a record side by side: i * fields + k
    structure_of_arrays, ///< an array for each field, one after another: k * n + i
    tiles ///< of 32 records, each a small structure of arrays: (i / 32 * fields + k) * 32 + i % 32
};

/// Which fields of each record take part.
enum class UsedFields
{
    all, ///< every one
    one  ///< field 0
};

/// c = a + (k + 1) in each used field k of `n` records, both arrays in `layout`. Every other float
/// of `c` must stay as it was: the fields that are not used, and what fills the last tile.
/// bytes() counts the used fields alone, since only they must move.
class RecordAdd : public UnaryProblem
{
  public:
    /// Records in a tile.
    static constexpr std::size_t tile = 32;

    /// `records` records of `field_count` floats. Throws CudaError when memory is exhausted.
    RecordAdd(const Chapter& chapter, std::size_t records, unsigned field_count,
              UsedFields used_fields);

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override;
    [[nodiscard]] std::size_t size() const override { return n; } ///< records

    const float* a;  ///< input, device memory
    float* c;        ///< output, device memory
    std::size_t n;   ///< records of each
    unsigned fields; ///< of a record
    UsedFields used; ///< which of them take part
    /// Of both arrays; may change between variants.
    RecordLayout layout = RecordLayout::array_of_structures;
};

} // namespace common
