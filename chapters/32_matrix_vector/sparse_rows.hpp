/// \file
/// A matrix of which only the elements that are not zero are stored, times a vector.
#pragma once

#include "common/chapter.hpp"
#include "row_sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Where the elements of a SparseRows stand. Rows have `mean` of them on average.
enum class Pattern
{
    spread,  ///< as many in each row, spread over all columns
    band,    ///< as many in each row, next to each other, about the diagonal
    uneven,  ///< from none to twice the mean, at random, spread
    one_long ///< half as many, and one row that is full
};

/// c = a x, for a square matrix in compressed sparse rows: the elements of row r are
/// value[start[r]] to value[start[r + 1] - 1], and column[i] says in which column value[i] stands.
class SparseRows : public RowSums
{
  public:
    static constexpr std::size_t mean = 32; ///< elements of a row

    /// A matrix with some `elements` elements in all, in arrays of whole multiples of elements:
    /// 4 of them for loads of 16 bytes.
    SparseRows(const common::Setting& setting, std::size_t elements, Pattern where,
               std::size_t multiple = 1)
        : RowSums("sparse matrix times vector", std::max(elements / mean, std::size_t{1})),
          pattern_(where), multiple_(multiple),
          key_(common::random_bits::input_key(setting.seed, 0)),
          vector_key_(common::random_bits::input_key(setting.seed, 1)), starts_(rows + 1)
    {
        for (std::size_t r = 0; r < rows; ++r)
            starts_[r + 1] = starts_[r] + static_cast<unsigned>(length(r));
        count = starts_[rows];
    }

    /// The first element of row r, and for r = `rows` their number.
    [[nodiscard]] std::size_t first(std::size_t r) const { return starts_[r]; }

    /// In which column element i stands, one of row r. Columns of a row ascend.
    [[nodiscard]] unsigned column_of(std::size_t r, std::size_t i) const
    {
        const std::size_t of_row = starts_[r + 1] - starts_[r];
        if (pattern_ == Pattern::band) {
            const std::size_t before = std::min(r, of_row / 2);
            return static_cast<unsigned>(std::min(r - before, rows - of_row) + i - starts_[r]);
        }
        const std::size_t begin = (i - starts_[r]) * rows / of_row;
        const std::size_t end = (i - starts_[r] + 1) * rows / of_row;
        const std::uint64_t random = common::random_bits::mix(key_ + ~std::uint64_t{i}) >> 32U;
        return static_cast<unsigned>(begin + (random * (end - begin) >> 32U));
    }
    /// Element i.
    [[nodiscard]] float element(std::size_t i) const
    {
        return factor<float>(Factors::whole, key_, i);
    }
    /// Element k of the vector.
    [[nodiscard]] float vector_element(std::size_t k) const
    {
        return factor<float>(Factors::whole, vector_key_, k);
    }
    /// Where the elements stand.
    [[nodiscard]] Pattern pattern() const { return pattern_; }

    [[nodiscard]] std::uint64_t bytes() const override
    {
        return count * (sizeof(float) + sizeof(unsigned)) + (rows + 1) * sizeof(unsigned) +
               2 * rows * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return count; }
    [[nodiscard]] Factors factors() const override { return Factors::whole; }

    const unsigned* start = nullptr;  ///< of each row, and where the last one ends
    const unsigned* column = nullptr; ///< of each element
    const float* value = nullptr;     ///< the elements
    const float* x = nullptr;         ///< the vector
    std::size_t count;                ///< elements

  private:
    [[nodiscard]] std::size_t length(std::size_t r) const
    {
        if (pattern_ == Pattern::uneven)
            return static_cast<std::size_t>(std::min<std::uint64_t>(
                rows, (common::random_bits::mix(key_ + r) >> 32U) * (2 * mean + 1) >> 32U));
        if (pattern_ == Pattern::one_long)
            return r == rows / 3 ? rows : std::min(rows, mean / 2);
        return std::min(rows, mean);
    }

    void make_arrays() override
    {
        RowSums::make_arrays();
        // Where the rows are decides what is launched and what is read, also where no array is
        // initialized.
        const std::size_t padded = (count + multiple_ - 1) / multiple_ * multiple_;
        std::vector<unsigned> columns(padded);
        common::parallel_for(rows, 1 << 12, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = begin; r < end; ++r)
                for (std::size_t i = starts_[r]; i < starts_[r + 1]; ++i)
                    columns[i] = column_of(r, i);
        });
        start_ = common::buffer_of(starts_);
        column_ = common::buffer_of(columns);
        value_ = common::buffer_of<float>(padded, [this](std::size_t i) { return element(i); });
        vector_ =
            common::buffer_of<float>(rows, [this](std::size_t k) { return vector_element(k); });
        start = start_.data();
        column = column_.data();
        value = value_.data();
        x = vector_.data();
    }

    Pattern pattern_;
    std::size_t multiple_;
    std::uint64_t key_;
    std::uint64_t vector_key_;
    std::vector<unsigned> starts_;
    common::Buffer<unsigned> start_;
    common::Buffer<unsigned> column_;
    common::Buffer<float> value_;
    common::Buffer<float> vector_;
};

/// A row of the table for that matrix: the columns `type`, `order`, `rows` and `pattern`.
[[nodiscard]] inline common::Variant sparse_variant(const SparseRows& p, const char* name,
                                                    unsigned block = 0)
{
    constexpr std::array<const char*, 4> names = {"spread", "band", "uneven", "one long"};
    return {.name = name,
            .threads = block,
            .columns = {{"type", "float"},
                        {"order", "sparse"},
                        {"rows", p.rows},
                        {"pattern", names.at(static_cast<std::size_t>(p.pattern()))}},
            .full_only = p.pattern() != Pattern::spread};
}
