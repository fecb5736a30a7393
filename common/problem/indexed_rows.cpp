#include "common/problem/indexed_rows.hpp"

#include "common/device/check.hpp"
#include "common/problem/write_elements.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace common {

IndexedRows::IndexedRows(const Setting& setting, RowTask what, std::size_t elements,
                         std::size_t row_bytes, RowOrder which)
    : Problem(what == RowTask::add_up ? "add rows" : "move rows"),
      rows(std::max<std::size_t>(2 * elements / row_bytes, 1)), width(row_bytes), does(what),
      order(which), seed_(setting.seed)
{}

Verdict IndexedRows::verify()
{
    return output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
        for (std::size_t k = 0; k < count;) { // a part of a row after the other
            const std::size_t column = (first + k) % words();
            const std::size_t part = std::min(count - k, words() - column);
            write_expected((first + k) / words(), column, part, static_cast<char*>(out) + 4 * k);
            k += part;
        }
    });
}

void IndexedRows::make_arrays()
{
    const std::size_t all = pages() * page_rows * words(); // with those of the last page
    input_ = Array(Element::u32, all, {.guarded = false});
    output_ = Array(does == RowTask::add_up ? Element::f32 : Element::u32,
                    does == RowTask::append ? all : rows * words());
    make_indices();
    if (does == RowTask::add_up)
        write_elements(static_cast<float*>(input_.data()), rows * words(),
                       [this](std::size_t i) { return small(i); });
    else
        input_.write_input(seed_, 0);
}

void IndexedRows::make_indices()
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
        std::fill(&indices_[0] + begin_[v], &indices_[0] + begin_[v + 1], static_cast<unsigned>(v));
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

const unsigned* IndexedRows::put(const std::vector<unsigned>& from, Buffer<unsigned>& to)
{
    to = Buffer<unsigned>(from.size());
    CHECK_CUDA(cudaMemcpy(to.data(), from.data(), from.size() * 4, cudaMemcpyHostToDevice));
    return to.data();
}

void IndexedRows::write_expected(std::size_t row, std::size_t column, std::size_t count,
                                 char* out) const
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

} // namespace common
