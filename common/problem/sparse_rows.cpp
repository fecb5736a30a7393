#include "common/problem/sparse_rows.hpp"

#include "common/problem/parallel.hpp"

#include <algorithm>
#include <vector>

namespace common {

SparseRows::SparseRows(const Setting& setting, std::size_t elements, Pattern where)
    : RowSums("sparse matrix times vector", std::max(elements / mean, std::size_t{1})),
      pattern_(where), key_(random_bits::input_key(setting.seed, 0)),
      vector_key_(random_bits::input_key(setting.seed, 1)), starts_(rows + 1)
{
    for (std::size_t r = 0; r < rows; ++r)
        starts_[r + 1] = starts_[r] + static_cast<unsigned>(length(r));
    count = starts_[rows];
}

unsigned SparseRows::column_of(std::size_t r, std::size_t i) const
{
    const std::size_t of_row = starts_[r + 1] - starts_[r];
    if (pattern_ == Pattern::band) {
        const std::size_t before = std::min(r, of_row / 2);
        return static_cast<unsigned>(std::min(r - before, rows - of_row) + i - starts_[r]);
    }
    const std::size_t begin = (i - starts_[r]) * rows / of_row;
    const std::size_t end = (i - starts_[r] + 1) * rows / of_row;
    const std::uint64_t lot = random_bits::mix(key_ + ~std::uint64_t{i}) >> 32U;
    return static_cast<unsigned>(begin + (lot * (end - begin) >> 32U));
}

float SparseRows::element(std::size_t i) const
{
    return factor<float>(Factors::whole, key_, i);
}

float SparseRows::of_vector(std::size_t k) const
{
    return factor<float>(Factors::whole, vector_key_, k);
}

std::size_t SparseRows::length(std::size_t r) const
{
    if (pattern_ == Pattern::uneven)
        return static_cast<std::size_t>(std::min<std::uint64_t>(
            rows, (random_bits::mix(key_ + r) >> 32U) * (2 * mean + 1) >> 32U));
    if (pattern_ == Pattern::one_long)
        return r == rows / 3 ? rows : std::min(rows, mean / 2);
    return std::min(rows, mean);
}

void SparseRows::make_arrays()
{
    RowSums::make_arrays();
    start_ = Buffer<unsigned>(rows + 1);
    column_ = Buffer<unsigned>(count);
    value_ = Buffer<float>(count);
    vector_ = Buffer<float>(rows);
    start = start_.data();
    column = column_.data();
    value = value_.data();
    x = vector_.data();
    // Where the rows are decides what is launched and what is read, also where nothing is held.
    std::vector<unsigned> columns(count);
    std::vector<float> values(count);
    parallel_for(rows, 1 << 12, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r)
            for (std::size_t i = starts_[r]; i < starts_[r + 1]; ++i) {
                columns[i] = column_of(r, i);
                values[i] = element(i);
            }
    });
    std::vector<float> vector(rows);
    for (std::size_t k = 0; k < rows; ++k)
        vector[k] = of_vector(k);
    copy(start_, starts_);
    copy(column_, columns);
    copy(value_, values);
    copy(vector_, vector);
}

SparseRows::Sum SparseRows::row(std::size_t r) const
{
    Sum sum;
    for (std::size_t i = starts_[r]; i < starts_[r + 1]; ++i)
        add(sum, double{element(i)} * double{of_vector(column_of(r, i))});
    return sum;
}

} // namespace common
