// Records of several fields, in one of three layouts, and what adding to them must leave.
#pragma once

#include "common/problem/arrays.hpp"

#include <cstring>

/// Where field `k` of record `i` lies among the floats of an array of `n` records.
enum class RecordLayout
{
    array_of_structures, ///< the fields of a record side by side: i * fields + k
    structure_of_arrays, ///< an array for each field, one after another: k * n + i
    tiles ///< of 32 records, each a small structure of arrays: (i / 32 * fields + k) * 32 + i % 32
};

/// A float of these bytes, -3.7e28, is far from every input and result, and no NaN: it can be
/// compared with.
constexpr unsigned char kept_byte = 0xEE;

/// c = a + (k + 1) in each of the first `used` fields k of every record. Every other float of `c`
/// must stay as it was: the fields that are not used, and what fills the last tile.
struct AddToRecords
{
    std::size_t n;       ///< records
    std::size_t fields;  ///< of a record
    std::size_t used;    ///< the first of them
    RecordLayout layout; ///< of both arrays

    static constexpr std::size_t tile = 32; ///< records

    /// What float i of the output has to be, in the order of `layout`.
    float operator()(const common::Inputs<float>& in, std::size_t i) const
    {
        const auto [record, field] = place(i);
        if (record < n && field < used)
            return in.a[i] + static_cast<float>(field + 1);
        float kept = 0;
        std::memset(&kept, kept_byte, sizeof kept);
        return kept;
    }

  private:
    struct RecordPlace
    {
        std::size_t record;
        std::size_t field;
    };

    [[nodiscard]] RecordPlace place(std::size_t i) const
    {
        switch (layout) {
        case RecordLayout::array_of_structures:
            return {i / fields, i % fields};
        case RecordLayout::structure_of_arrays:
            return {i % n, i / n};
        case RecordLayout::tiles:
            return {i / (tile * fields) * tile + i % tile, i / tile % fields};
        }
        return {};
    }
};

/// Arrays with space for `n` records in any layout. Only the used fields must move, so bytes are
/// theirs alone.
inline common::ArrayOptions records(std::size_t n, std::size_t fields, std::size_t used)
{
    constexpr std::size_t unit = AddToRecords::tile;
    return {.task = used == fields ? "add to records" : "add to one field",
            .n = (n + unit - 1) / unit * unit * fields,
            .size = n,
            .bytes = 2 * n * used * sizeof(float),
            .background = kept_byte};
}
