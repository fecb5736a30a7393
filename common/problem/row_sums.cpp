#include "common/problem/row_sums.hpp"

#include "common/problem/parallel.hpp"

#include <utility>

namespace common {

RowSums::RowSums(std::string task, std::size_t row_count)
    : Problem(std::move(task)), rows(row_count)
{}

Verdict RowSums::verify()
{
    if (sums_.empty())
        compute_reference();
    return output_.verify([this](std::size_t r) {
        return Tolerance{sums_[r].sum, error_bound(sums_[r])};
    });
}

void RowSums::make_arrays()
{
    output_ = Array(Element::f32, rows);
    c = static_cast<float*>(output_.data());
}

void RowSums::compute_reference()
{
    sums_.resize(rows);
    parallel_for(rows, 16, [this](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r)
            sums_[r] = row(r);
    });
}

} // namespace common
