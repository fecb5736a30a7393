/// \file
/// Rows of a table that are found through an array of indices, and rows that are added up by one.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/indices.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
                RowOrder which)
        : Problem(what == RowTask::add_up ? "add rows" : "move rows"),
          rows(std::max<std::size_t>(2 * elements / row_bytes, 1)), width(row_bytes), does(what),
          order(which), seed_(setting.seed)
    {}

    void poison() override { output_.poison(does == RowTask::append ? 0 : poison_byte); }
    [[nodiscard]] Verdict verify() override
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
    [[nodiscard]] Shuffle order_of_pages() const { return Shuffle(pages(), pages()); }
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

    void make_arrays() override
    {
        const std::size_t all = pages() * page_rows * words(); // with those of the last page
        input_ = Array(Element::u32, all, {.guarded = false});
        output_ = Array(does == RowTask::add_up ? Element::f32 : Element::u32,
                        does == RowTask::append ? all : rows * words());
        make_indices();
        if (holds_nothing())
            return;
        if (does == RowTask::add_up)
            write_floats();
        else
            input_.write_input(seed_, 0);
    }

    void make_indices()
    {
        if (does == RowTask::read || does == RowTask::append) {
            std::vector<unsigned> places(pages());
            for (std::size_t p = 0; p < pages(); ++p)
                places[p] = static_cast<unsigned>(order_of_pages()(p));
            where = put(places, device_where_);
            return;
        }
        indices_.resize(rows);
        begin_.assign(rows + 1,
                      0); // behind each index how many rows have it, then where they begin
        const std::uint64_t key = random_bits::input_key(seed_, 1);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint64_t lot = random_bits::bits_at(key, r);
            const bool is_hot = order == RowOrder::hot && lot % 10 == 0;
            indices_[r] = is_hot ? 0 : static_cast<unsigned>((lot >> 8U) % rows);
            ++begin_[indices_[r] + 1];
        }
        for (std::size_t v = 0; v < rows; ++v)
            begin_[v + 1] += begin_[v];
        for (std::size_t v = 0; order == RowOrder::sorted && v < rows; ++v)
            std::fill(&indices_[0] + begin_[v], &indices_[0] + begin_[v + 1],
                      static_cast<unsigned>(v));
        where = put(indices_, device_where_);
        if (does == RowTask::look_up)
            return;
        members_.resize(rows);
        std::vector<unsigned> next(begin_.begin(), begin_.end() - 1);
        for (std::size_t r = 0; r < rows; ++r)
            members_[next[indices_[r]]++] = static_cast<unsigned>(r);
        members = put(members_, device_members_);
        begin = put(begin_, device_begin_);
    }

    static const unsigned* put(const std::vector<unsigned>& from, Buffer<unsigned>& to)
    {
        to = Buffer<unsigned>(from.size());
        CHECK_CUDA(cudaMemcpy(to.data(), from.data(), from.size() * 4, cudaMemcpyHostToDevice));
        return to.data();
    }

    void write_floats()
    {
        constexpr std::size_t at_once = std::size_t{1} << 23U;
        const std::size_t all = rows * words();
        const Buffer<float> staging(std::min(all, at_once), Space::pinned);
        for (std::size_t first = 0; first < all; first += at_once) {
            const std::size_t count = std::min(at_once, all - first);
            parallel_for(count, 1 << 16, [&](std::size_t from, std::size_t to) {
                for (std::size_t k = from; k < to; ++k)
                    staging.data()[k] = small(first + k);
            });
            CHECK_CUDA(cudaMemcpy(static_cast<float*>(input_.data()) + first, staging.data(),
                                  count * sizeof(float), cudaMemcpyHostToDevice));
        }
    }

    /// Writes words `column` to `column + count` of row `row` of what is expected.
    void write_expected(std::size_t row, std::size_t column, std::size_t count, char* out) const
    {
        if (does == RowTask::add_up) {
            for (std::size_t k = 0; k < count; ++k) {
                float sum = 0;
                for (std::size_t j = begin_[row]; j < begin_[row + 1]; ++j)
                    sum += small(members_[j] * words() + column + k);
                std::memcpy(out + 4 * k, &sum, sizeof sum);
            }
            return;
        }
        std::size_t from = row;
        if (does == RowTask::look_up)
            from = indices_[row];
        else if (does == RowTask::read)
            from = place(row);
        else
            from = order_of_pages().inverse(row / page_rows) * page_rows + row % page_rows;
        if (does == RowTask::append && from >= rows)
            std::memset(out, 0, 4 * count);
        else
            generate(Element::u32, seed_, 0, from * words() + column, count, out);
    }

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
