/// \file
/// Rows of bfloats, each of which is to be made another row: a softmax, a norm, a norm in 8 bits.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/extent.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Of CUDA's headers, which take long to compile: whoever has kernels of them includes those.
struct __nv_bfloat16;
struct __nv_fp8_e4m3;

namespace common {

/// Added to the mean of the squares of a row before its root is taken, so that it is not 0.
inline constexpr float norm_epsilon = 1e-5F;
/// The largest number of the format E4M3.
inline constexpr float largest_fp8 = 448;

/// What a kernel has to know of rows: they lie one behind another.
struct RowShape
{
    unsigned rows;    ///< how many
    unsigned columns; ///< numbers of a row
    unsigned width;   ///< from row to row: columns, rounded up to a multiple of 8

    /// Element `column` of a row.
    [[nodiscard]] __host__ __device__ std::size_t at(unsigned row, unsigned column) const
    {
        return std::size_t{row} * width + column;
    }
};

/// What is to be made of a row.
enum class RowResult
{
    softmax,    ///< as Softmax
    norm,       ///< as Norm
    norm_to_fp8 ///< as NormToFp8
};

/// How far a result may be from the right one before it is rounded to its format, relative to it:
/// no term of a sum goes through more than `additions` additions, each with a rescaling of what was
/// there, and the largest exponent of an e^x is `reach`, 0 where there is none. In units of 2^-23:
/// three for an addition with its rescaling, and twice 1.2 reach, for CUDA's guide gives __expf(x)
/// an error of 2 + 1.173 |x| of them, and the errors of rescalings that follow each other add up to
/// that of one over the whole reach; 24 more for all that is done once.
[[nodiscard]] constexpr double row_error_bound(unsigned additions, double reach)
{
    return (3.0 * additions + 2.4 * reach + 24) * 0x1p-23;
}

/// c from the rows of `a`, each by itself: bfloats, or numbers of 8 bits and their scales.
///
/// Elements are multiples of 1/16 from -8 to 7.875, which a bfloat has room for. Of eight rows one
/// is of elements of -100, whose e^x a float holds badly, one rises, which makes a running maximum
/// change all the time, and one has an element of 100, whose e^x no float holds. Behind a row lie
/// up to seven elements more, so that each begins at a multiple of 16 bytes: minus infinity for a
/// softmax, else 0. They change nothing of what is gathered, and their own results are 0.
class RowProblem : public Problem
{
  public:
    /// Rows of that many columns. Their number and their width must fit an unsigned.
    RowProblem(const Setting& setting, RowResult result, const Extent& extent);

    /// The variants from here on add an element up through at most so many additions. With
    /// `through_bfloats` the norm is rounded to bfloats, which are rounded to 8 bits after that.
    void expect(unsigned additions, bool through_bfloats = false);
    /// What element `column` of a row is.
    [[nodiscard]] float element(std::size_t row, std::size_t column) const;
    /// What all results of a column are multiplied with, in a norm.
    [[nodiscard]] float weight(std::size_t column) const;

    /// Where the results of that operation go: c8 where they have 8 bits, else c.
    template<class Op>
    [[nodiscard]] typename Op::Out* output() const
    {
        if constexpr (sizeof(typename Op::Out) == 1)
            return c8;
        else
            return c;
    }
    /// Where its elements are: in `a`, or, for the second of two kernels, in c.
    template<class Op>
    [[nodiscard]] const __nv_bfloat16* input() const
    {
        return Op::second ? c : a;
    }

    void poison() override;
    /// A result is right if it is what rounding to its format makes of a number within the bound.
    [[nodiscard]] Verdict verify() override;
    /// The elements once, the results once, and the scales.
    [[nodiscard]] std::uint64_t bytes() const override;
    [[nodiscard]] std::size_t size() const override
    {
        return std::size_t{shape.rows} * shape.columns;
    }

    const __nv_bfloat16* a = nullptr; ///< the elements, row by row
    const __nv_bfloat16* w = nullptr; ///< weights of the columns
    __nv_bfloat16* c = nullptr;       ///< the results; room for some where results have 8 bits
    __nv_fp8_e4m3* c8 = nullptr;      ///< the results where they have 8 bits
    float* scales = nullptr;          ///< and the scales of the rows
    RowShape shape;                   ///< of all of them

  private:
    /// What the host knows of a row.
    struct Row
    {
        double factor = 0;  ///< of a result, and of e^x in a softmax
        double largest = 0; ///< x, or |x weight|
        double reach = 0;   ///< the largest x less the smallest
        double scale = 0;   ///< of 8 bits
    };

    void make_arrays() override;
    void compute_reference();
    [[nodiscard]] unsigned code(std::size_t row, std::size_t column) const;
    [[nodiscard]] double expected(std::size_t row, std::size_t column) const;
    [[nodiscard]] double bound(const Row& row) const;
    [[nodiscard]] Tolerance tolerance(std::size_t i) const;

    RowResult result_;
    std::uint64_t key_;
    std::vector<Row> rows_;
    unsigned additions_ = 0;
    bool through_bfloats_ = false;
    Buffer<std::uint16_t> input_;
    Buffer<std::uint16_t> weights_;
    Buffer<std::uint16_t> between_;
    Array output_;
    Array scales_;
};

} // namespace common
