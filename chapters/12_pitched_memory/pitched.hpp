/// \file
/// Matrices and boxes whose rows stand apart, and the problem of copying one.
#pragma once

#include "common/problem/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace common {

/// The extent of a box in elements; a matrix is a box of one slice.
struct Extent
{
    std::size_t columns = 0; ///< elements of a row
    std::size_t rows = 1;    ///< rows of a slice
    std::size_t slices = 1;  ///< slices

    /// Elements of the box, without padding.
    [[nodiscard]] std::size_t size() const { return columns * rows * slices; }
};

/// A box of at most `n` elements, `n` being 1 or more: `columns` to a row and `rows` to a slice
/// where there are so many, in as many slices as `n` holds. Throws std::invalid_argument when
/// `n`, `columns` or `rows` is 0.
[[nodiscard]] Extent box_of(std::size_t n, std::size_t columns, std::size_t rows);

/// A matrix of at most `n` elements: `columns` to a row where there are so many, in as many rows as
/// `n` holds. Throws std::invalid_argument when `n` or `columns` is 0.
[[nodiscard]] Extent matrix_of(std::size_t n, std::size_t columns);

/// How the rows of a box lie in memory.
enum class RowLayout
{
    dense,  ///< one behind the other: a row begins wherever the one before ended
    pitched ///< as cudaMalloc3D lays them out: padded, so that each begins at a good address
};

/// c = a for a box of floats in device memory: element x of row y of slice z stands x floats past
/// byte (z * rows + y) * pitch of its array. The padding of `a` holds what no element does,
/// that of `c` must not be written.
class BoxCopy : public Problem
{
  public:
    /// Throws CudaError when memory is exhausted.
    BoxCopy(const Chapter& chapter, const Extent& extent, RowLayout layout);

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    /// The elements alone, read once and written once; padding is nobody's.
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n; }

  private:
    struct Release
    {
        void operator()(std::byte* address) const { release(MemorySpace::device, address); }
    };

    std::uint64_t seed_;
    std::unique_ptr<std::byte, Release> a_; ///< memory of cudaMalloc or cudaMalloc3D
    GuardedOutput c_;

  public:
    const float* a;      ///< first input element, device memory
    float* c;            ///< first output element, device memory
    std::size_t columns; ///< elements of a row
    std::size_t rows;    ///< rows of a slice
    std::size_t slices;  ///< slices; 1 for a matrix
    std::size_t pitch;   ///< bytes from row to row; 0 under `--list` when pitched
    std::size_t n;       ///< elements without padding
};

/// The same copy from a dense, pinned host array to another, by way of device memory that a variant
/// allocates itself. bytes() counts what crosses the link: 2 n floats.
class HostBoxCopy : public Problem
{
  public:
    /// Throws CudaError or std::bad_alloc when memory is exhausted.
    HostBoxCopy(const Chapter& chapter, const Extent& extent);

    void poison() override { c_.poison(); }
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n; }

  private:
    std::uint64_t seed_;
    PinnedBuffer<float> a_;
    GuardedOutput c_;

  public:
    const float* host_a; ///< input, host memory
    float* host_c;       ///< output, host memory
    std::size_t columns; ///< elements of a row
    std::size_t rows;    ///< rows of a slice
    std::size_t slices;  ///< slices; 1 for a matrix
    std::size_t n;       ///< elements
};

} // namespace common
