/// \file
/// Rows of a table that are found through an array of indices, and rows that are added up by one.
#pragma once

#include "../17_gather/shuffle.hpp"
#include "common/chapter.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

/// The task on the rows of an IndexedRows.
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
    random, ///< any, at random: some more than once, some not at all
    sorted, ///< the same, in ascending order
    hot     ///< the same, but of ten one is row 0
};

/// `rows` rows of `width` bytes, as many rows of a table, and an index for each of them. A cache is
/// a table in pages of `page_rows` rows: its row r is row r % page_rows of page page[r /
/// page_rows].
class IndexedRows : public common::Problem
{
  public:
    static constexpr std::size_t page_rows = 16; ///< of a page

    /// A problem of that task, of so many 16-bit elements, at least one row of `row_bytes` bytes, a
    /// multiple of 16. What is expected is still to be said.
    IndexedRows(const common::Setting& setting, RowTask what, std::size_t elements,
                std::size_t row_bytes, RowOrder which)
        : Problem(what == RowTask::add_up ? "add rows" : "move rows"),
          rows(std::max<std::size_t>(2 * elements / row_bytes, 1)), width(row_bytes), does(what),
          order(which), seed_(setting.seed)
    {}

    /// Row r of `c` has to be row source(r) of `a`, or zeros where there is no such row.
    void expect_rows(std::function<std::size_t(std::size_t r)> source)
    {
        source_ = std::move(source);
        output_.forget_expected();
    }
    /// Float k of row r of `c` has to be sum(r, k).
    void expect_sums(std::function<float(std::size_t r, std::size_t k)> sum)
    {
        sum_ = std::move(sum);
        output_.forget_expected();
    }
    /// index[r].
    [[nodiscard]] std::size_t index(std::size_t r) const { return indices_[r]; }
    /// All rows r with index[r] == v.
    [[nodiscard]] std::span<const unsigned> members_of(std::size_t v) const
    {
        return std::span(members_).subspan(begin_[v], begin_[v + 1] - begin_[v]);
    }
    /// The row of the table that has row r of a cache.
    [[nodiscard]] std::size_t place(std::size_t r) const
    {
        return order_of_pages()(r / page_rows) * page_rows + r % page_rows;
    }
    /// The row of the cache that row r of the table has: the inverse of place().
    [[nodiscard]] std::size_t row_at(std::size_t r) const
    {
        return order_of_pages().inverse(r / page_rows) * page_rows + r % page_rows;
    }
    /// Float i of `a`, where floats are added up: a small integer, so that sums of 2^20 are exact.
    [[nodiscard]] float element(std::size_t i) const
    {
        return static_cast<float>(common::random_bits::bits_at(seed_, i) >> 60U) - 8;
    }

    void poison() override { output_.poison(does == RowTask::append ? 0 : common::poison_byte); }
    [[nodiscard]] common::Verdict verify() override
    {
        return output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
            for (std::size_t k = 0; k < count;) { // a part of a row after the other
                const std::size_t column = (first + k) % words();
                const std::size_t part = std::min(count - k, words() - column);
                write_expected((first + k) / words(), column, part,
                               static_cast<char*>(out) + 4 * k);
                k += part;
            }
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return 2 * rows * width + (in_pages() ? pages() : rows) * sizeof(unsigned);
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
    [[nodiscard]] bool in_pages() const { return does == RowTask::read || does == RowTask::append; }
    [[nodiscard]] std::size_t pages() const { return (rows + page_rows - 1) / page_rows; }
    [[nodiscard]] Shuffle order_of_pages() const { return {pages(), pages()}; }

    void make_arrays() override
    {
        using common::Element;
        const bool adds = does == RowTask::add_up;
        const std::size_t all = pages() * page_rows * words(); // with those of the last page
        input_ = common::Array(Element::u32, all, {.guarded = false});
        output_ = common::Array(adds ? Element::f32 : Element::u32,
                                does == RowTask::append ? all : rows * words());
        make_indices();
        if (adds)
            common::write_elements(static_cast<float*>(input_.data()), rows * words(),
                                   [this](std::size_t i) { return element(i); });
        else
            input_.write_input(seed_, 0);
    }
    void make_indices()
    {
        if (in_pages()) {
            std::vector<unsigned> places(pages());
            for (std::size_t p = 0; p < pages(); ++p)
                places[p] = static_cast<unsigned>(order_of_pages()(p));
            where = copied(places, device_where_);
            return;
        }
        indices_.resize(rows);
        begin_.assign(rows + 1,
                      0); // behind each index how many rows have it, then where they begin
        const std::uint64_t key = common::random_bits::input_key(seed_, 1);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint64_t random = common::random_bits::bits_at(key, r);
            const bool is_hot = order == RowOrder::hot && random % 10 == 0;
            indices_[r] = is_hot ? 0 : static_cast<unsigned>((random >> 8U) % rows);
            ++begin_[indices_[r] + 1];
        }
        for (std::size_t v = 0; v < rows; ++v)
            begin_[v + 1] += begin_[v];
        for (std::size_t v = 0; order == RowOrder::sorted && v < rows; ++v)
            std::fill(&indices_[0] + begin_[v], &indices_[0] + begin_[v + 1],
                      static_cast<unsigned>(v));
        where = copied(indices_, device_where_);
        if (does == RowTask::look_up)
            return;
        members_.resize(rows);
        std::vector<unsigned> next(begin_.begin(), begin_.end() - 1);
        for (std::size_t r = 0; r < rows; ++r)
            members_[next[indices_[r]]++] = static_cast<unsigned>(r);
        members = copied(members_, device_members_);
        begin = copied(begin_, device_begin_);
    }
    static const unsigned* copied(const std::vector<unsigned>& from, common::Buffer<unsigned>& to)
    {
        to = common::buffer_of(from);
        return to.data();
    }
    /// Writes words `column` to `column + count` of row r of what is expected.
    void write_expected(std::size_t r, std::size_t column, std::size_t count, char* out) const
    {
        if (does == RowTask::add_up) {
            for (std::size_t k = 0; k < count; ++k) {
                const float sum = sum_(r, column + k);
                std::memcpy(out + 4 * k, &sum, sizeof sum);
            }
        } else if (const std::size_t from = source_(r);
                   from < (does == RowTask::read ? pages() * page_rows : rows)) {
            common::generate(common::Element::u32, seed_, 0, from * words() + column, count, out);
        } else {
            std::memset(out, 0, 4 * count);
        }
    }

    std::uint64_t seed_;
    std::function<std::size_t(std::size_t r)> source_;
    std::function<float(std::size_t r, std::size_t k)> sum_;
    std::vector<unsigned> indices_;
    std::vector<unsigned> members_;
    std::vector<unsigned> begin_;
    common::Array input_;
    common::Array output_;
    common::Buffer<unsigned> device_where_;
    common::Buffer<unsigned> device_members_;
    common::Buffer<unsigned> device_begin_;
};

/// A row of the table: the columns `result`, `columns`, the elements of a row, `row_bytes` and,
/// where rows have indices, their order.
[[nodiscard]] inline common::Variant rows_variant(const IndexedRows& p, const char* name,
                                                  unsigned threads)
{
    const bool adds = p.does == RowTask::add_up;
    const char* const result = p.does == RowTask::look_up  ? "gathered rows"
                               : p.does == RowTask::read   ? "read from pages"
                               : p.does == RowTask::append ? "appended to pages"
                                                           : "summed rows";
    common::Variant variant{.name = name,
                            .threads = threads,
                            .columns = {{"result", result},
                                        {"columns", p.width / (adds ? 4 : 2)},
                                        {"row_bytes", p.width}}};
    if (adds || p.does == RowTask::look_up)
        variant.columns.push_back({"indices", p.order == RowOrder::random   ? "random"
                                              : p.order == RowOrder::sorted ? "sorted"
                                                                            : "hot"});
    return variant;
}
