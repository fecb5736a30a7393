/// \file
/// Checks an output, every element and the bytes around it.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/element.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace common {

/// What a check found.
struct Verdict
{
    /// One element that is not what it should be.
    struct Mismatch
    {
        std::size_t index;    ///< in the output
        std::string got;      ///< as format_element() writes it
        std::string expected; ///< likewise
        bool untouched;       ///< it still holds the poison
    };
    static constexpr std::size_t kept = 4; ///< mismatches kept for the message

    bool ok = true;                   ///< nothing is wrong
    std::size_t size = 0;             ///< elements compared
    std::size_t mismatches = 0;       ///< how many of them are wrong
    std::vector<Mismatch> first = {}; ///< the first of those, by index
    /// Bytes between the start of the output and the closest write before it; 1 is the last byte
    /// before the start.
    std::optional<std::size_t> damage_before = {};
    /// Bytes between the end of the output and the closest write past it; 0 is the first byte
    /// there.
    std::optional<std::size_t> damage_after = {};
    /// The first row behind whose elements something was written, where rows have padding.
    std::optional<std::size_t> damaged_padding = {};

    /// What is wrong, in sentences; empty when nothing is.
    [[nodiscard]] std::string message() const;
};

/// Writes the expected elements `first` to `first + count` to `out`. Called from several threads.
using Expected = std::function<void(std::size_t first, std::size_t count, void* out)>;

/// Where an output lives.
enum class OutputSpace
{
    device,
    pageable_host,
    pinned_host,
    mapped_host,
    managed
};

/// A matrix in memory: `count` rows of `columns` elements, each `pitch` bytes after the one before.
/// What lies between the end of a row and the start of the next is padding, and nobody's.
struct Rows
{
    std::size_t columns = 0; ///< elements of a row
    std::size_t count = 0;   ///< rows
    std::size_t pitch = 0;   ///< bytes from row to row, at least those of its elements
};

/// An output array between two canaries: bytes that no correct kernel touches.
class GuardedOutput
{
  public:
    /// An empty output, which allocates nothing.
    GuardedOutput() = default;
    /// `size` elements. In device memory the first stands `offset` elements past a multiple of 256
    /// bytes. Throws CudaError or std::bad_alloc.
    GuardedOutput(Element element, std::size_t size, OutputSpace space = OutputSpace::device,
                  std::size_t offset = 0);
    /// A matrix of `columns` times `count` elements, numbered row by row; the first stands at a
    /// multiple of 256 bytes in device memory. Its padding is watched like the canaries. Throws
    /// CudaError or std::bad_alloc.
    GuardedOutput(Element element, const Rows& rows, OutputSpace space = OutputSpace::device);

    /// The first element.
    [[nodiscard]] void* data() const;
    [[nodiscard]] std::size_t size() const { return size_; } ///< elements

    /// Fills output, padding and canaries with the poison; returns when all of it is there.
    void poison();
    /// Compares every element with what `expected` gives, bit for bit, and every byte of the
    /// padding and of the canaries. A NaN is wrong even where a NaN is expected.
    [[nodiscard]] Verdict verify(const Expected& expected);

    static constexpr std::size_t canary_bytes = 512; ///< bytes watched on each side

  private:
    class Comparison;

    void allocate_storage();
    [[nodiscard]] std::byte* storage() const;
    [[nodiscard]] std::size_t storage_bytes() const;
    /// A host copy of `bytes` at `offset` of the storage, valid until the next call.
    const std::byte* fetch(std::size_t offset, std::size_t bytes);
    void compare_array(Comparison& comparison);
    /// Compares the rows one by one; returns the first whose padding is damaged.
    std::optional<std::size_t> compare_rows(Comparison& comparison);
    void check_canaries(Verdict& verdict);
    /// Bytes of a row's elements.
    [[nodiscard]] std::size_t row_bytes() const { return rows_.columns * element_bytes(element_); }

    Element element_ = Element::f32;
    std::size_t size_ = 0;
    OutputSpace space_ = OutputSpace::device;
    std::size_t start_ = 0; ///< bytes before the output, all of them canary
    Rows rows_;             ///< one row of all elements, unless the output is a matrix
    DeviceBuffer<std::byte> device_;
    PinnedBuffer<std::byte> pinned_;
    MappedBuffer<std::byte> mapped_;
    ManagedBuffer<std::byte> managed_;
    std::vector<std::byte> pageable_;
    PinnedBuffer<std::byte> staging_;
};

} // namespace common
