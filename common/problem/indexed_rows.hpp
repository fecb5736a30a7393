/// \file
/// Rows of a table that are found through an array of indices, and rows that are added up by one.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/indices.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace common {

/// What is done with the rows of an IndexedRows.
enum class RowTask
{
    look_up, ///< row r of `c` is row index[r] of `a`
    read,    ///< row r of `c` is row r of the cache `a`
    append,  ///< row r of the cache `c` is row r of `a`; rows of the last page without one stay 0
    add_up   ///< row v of `c` is the sum of all rows r of `a`, of floats, whose index is v
};

/// Which rows the indices of an IndexedRows name.
enum class RowOrder
{
    random, ///< any, as if by lot: some more than once, some not at all
    sorted, ///< the same, in ascending order
    hot     ///< the same, but of ten one is row 0
};

/// The word for an order in a row's column.
[[nodiscard]] constexpr const char* name_of(RowOrder order)
{
    return order == RowOrder::random ? "random" : order == RowOrder::sorted ? "sorted" : "hot";
}

/// `rows` rows of `width` bytes, as many rows of a table, and an index for each of them. A cache is
/// a table in pages of `page_rows` rows: its row r is row r % page_rows of page page[r /
/// page_rows].
class IndexedRows : public Problem
{
  public:
    static constexpr std::size_t page_rows = 16; ///< of a page

    /// A problem of that task, of so many 16-bit elements, at least one row of `row_bytes` bytes, a
    /// multiple of 16.
    IndexedRows(const Setting& setting, RowTask what, std::size_t elements, std::size_t row_bytes,
                RowOrder which);

    void poison() override { output_.poison(does == RowTask::append ? 0 : poison_byte); }
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override
    {
        const bool in_pages = does == RowTask::read || does == RowTask::append;
        return 2 * rows * width + (in_pages ? pages() : rows) * sizeof(unsigned);
    }
    [[nodiscard]] std::size_t size() const override { return rows * width / 2; }

    /// `a`: the table, or the rows that go to one.
    template<class T>
    [[nodiscard]] const T* a() const
    {
        return static_cast<const T*>(input_.data());
    }
    /// `c`: the rows that come from the table, or the table.
    template<class T>
    [[nodiscard]] T* c() const
    {
        return static_cast<T*>(output_.data());
    }
    /// How many of these a row has.
    template<class T>
    [[nodiscard]] unsigned of() const
    {
        return static_cast<unsigned>(width / sizeof(T));
    }

    const unsigned* where = nullptr;   ///< index[], or page[] of a cache
    const unsigned* members = nullptr; ///< numbers of rows, those of index 0 first, then of 1, ...
    const unsigned* begin = nullptr; ///< where those of an index begin; behind all of them the end
    const std::size_t rows;          ///< of `a` and of `c`
    const std::size_t width;         ///< bytes of a row
    const RowTask does;              ///< the task
    const RowOrder order;            ///< of the indices

  private:
    [[nodiscard]] std::size_t words() const { return width / 4; } // of a row
    [[nodiscard]] std::size_t pages() const { return (rows + page_rows - 1) / page_rows; }
    [[nodiscard]] Shuffle order_of_pages() const { return {pages(), pages()}; }
    /// Row r of a cache.
    [[nodiscard]] std::size_t place(std::size_t r) const
    {
        return order_of_pages()(r / page_rows) * page_rows + r % page_rows;
    }
    /// An element to add, a small integer: sums of 2^20 are exact.
    [[nodiscard]] float small(std::size_t i) const
    {
        const auto bits = random_bits::bits_at(seed_, i) >> 60U;
        return static_cast<float>(bits) - 8;
    }

    void make_arrays() override;

    void make_indices();

    static const unsigned* put(const std::vector<unsigned>& from, Buffer<unsigned>& to);

    /// Writes words `column` to `column + count` of row `row` of what is expected.
    void write_expected(std::size_t row, std::size_t column, std::size_t count, char* out) const;

    std::uint64_t seed_;
    std::vector<unsigned> indices_;
    std::vector<unsigned> members_;
    std::vector<unsigned> begin_;
    Array input_;
    Array output_;
    Buffer<unsigned> device_where_;
    Buffer<unsigned> device_members_;
    Buffer<unsigned> device_begin_;
};

} // namespace common
