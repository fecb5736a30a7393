/// \file
/// A matrix of which only the elements that are not zero are stored, times a vector.
#pragma once

#include "common/problem/row_sums.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace common {

/// Where the elements of a SparseRows stand. Rows have `mean` of them on average.
enum class Pattern
{
    spread,  ///< as many in each row, spread over all columns
    band,    ///< as many in each row, next to each other, about the diagonal
    uneven,  ///< from none to twice the mean, as if by lot, spread
    one_long ///< half as many, and one row that is full
};

//! [row_of]
/// The row of element i: the last one that starts there or before.
__device__ inline unsigned row_of(const unsigned* start, std::size_t rows, unsigned i)
{
    unsigned row = 0;
    auto end = static_cast<unsigned>(rows);
    while (end - row > 1) {
        const unsigned middle = (row + end) / 2;
        if (start[middle] <= i) {
            row = middle;
        } else {
            end = middle;
        }
    }
    return row;
}
//! [row_of]

/// c = a x, for a square matrix in compressed sparse rows: the elements of row r are
/// value[start[r]] to value[start[r + 1] - 1], and column[i] says in which column value[i] stands.
class SparseRows : public RowSums
{
  public:
    static constexpr std::size_t mean = 32; ///< elements of a row

    /// A matrix with some `elements` elements in all.
    SparseRows(const Setting& setting, std::size_t elements, Pattern where);

    /// In which column element i stands, one of row r. Columns of a row ascend.
    [[nodiscard]] unsigned column_of(std::size_t r, std::size_t i) const;
    /// Element i.
    [[nodiscard]] float element(std::size_t i) const;
    /// Element k of the vector.
    [[nodiscard]] float of_vector(std::size_t k) const;
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
    [[nodiscard]] std::size_t length(std::size_t r) const;

    void make_arrays() override;
    template<class T>
    static void copy(const Buffer<T>& to, const std::vector<T>& from)
    {
        CHECK_CUDA(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] Sum row(std::size_t r) const override;

    Pattern pattern_;
    std::uint64_t key_;
    std::uint64_t vector_key_;
    std::vector<unsigned> starts_;
    Buffer<unsigned> start_;
    Buffer<unsigned> column_;
    Buffer<float> value_;
    Buffer<float> vector_;
};

} // namespace common
