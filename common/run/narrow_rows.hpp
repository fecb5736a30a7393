/// \file
/// Rows of narrow numbers: what all of a chapter's have in common.
#pragma once

#include "common/problem/extent.hpp"
#include "common/problem/narrow.hpp"
#include "common/run/launch.hpp"

#include <algorithm>
#include <cstddef>

namespace common {

/// The row of a kernel that changes each element so many times: the columns `type` and `steps`.
template<class T>
[[nodiscard]] Variant flip_variant(Flips<T>& p, const char* name, unsigned steps)
{
    return {.name = name,
            .threads = 256,
            .columns = {{"type", type_name<T>}, {"steps", steps}},
            .unmodelled = steps > 1 ? "it knows of no arithmetic" : "",
            .setup = [&p, steps] { p.expect(steps); }};
}

/// A matrix of at most n elements, and 8 at least: 4096 to a row, 1032 where n is odd, or 8 where
/// it is small.
[[nodiscard]] inline Extent rows_to_quantise(std::size_t n)
{
    const std::size_t columns = n < 4096 ? 8 : n % 2 == 0 ? 4096 : 1032;
    return {.columns = columns, .rows = std::max(n / columns, std::size_t{1})};
}

/// The row of a kernel that gives each row of a matrix a block: the columns `type`, `rows` and
/// `columns`.
template<class T>
[[nodiscard]] Variant quantise_variant(const QuantisedRows<T>& p, const char* name,
                                       unsigned threads)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"type", type_name<T>}, {"rows", p.rows}, {"columns", p.columns}}};
}

} // namespace common
