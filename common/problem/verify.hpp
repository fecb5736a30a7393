/// \file
/// Checks an output, every element and the bytes around it.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/tolerance.hpp"

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
    std::string output = {};          ///< which of several, as "On device 1: "
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

/// A matrix in memory: `count` rows of `columns` elements, each `pitch` bytes after the one before.
/// What lies between the end of a row and the start of the next is padding, and nobody's.
struct Rows
{
    std::size_t columns = 0; ///< elements of a row
    std::size_t count = 0;   ///< rows
    std::size_t pitch = 0;   ///< bytes from row to row, at least those of its elements
};

/// Leaves all arrays that are allocated later uninitialized, outputs unpoisoned: for launches whose
/// results nobody reads.
void skip_initialization();
/// True after skip_initialization().
[[nodiscard]] bool skips_initialization();

/// Where an array lies.
struct Place
{
    MemoryKind kind = MemoryKind::device; ///< which memory
    std::size_t offset = 0; ///< elements by which it starts past a multiple of 256 bytes
    /// Whether it stands between two canaries: bytes that no correct kernel touches. Inputs, which
    /// nobody should write at all, begin where their memory begins.
    bool guarded = true;
};

/// An array in any memory, with what lies around it: before its start, behind its end, between its
/// rows where they have padding.
class Array
{
  public:
    /// An empty array, which allocates nothing.
    Array() = default;
    /// `rows.columns` times `rows.count` elements, numbered row by row. Throws CudaError.
    Array(Element element, const Rows& rows, const Place& place = {});
    /// `size` elements in one row. Throws CudaError.
    Array(Element element, std::size_t size, const Place& place = {});

    /// The first element.
    [[nodiscard]] void* data() const;
    [[nodiscard]] std::size_t size() const { return rows_.columns * rows_.count; } ///< elements

    /// Writes input array number `number` of `seed`, as generate() makes it; what lies around it
    /// becomes bytes that no element has, and that are not the poison.
    void write_input(std::uint64_t seed, unsigned number);
    /// Fills canaries and padding with the poison, and the elements with `background`; returns when
    /// all of it is there.
    void poison(unsigned char background = poison_byte);
    /// Compares every element with what `expected` gives, bit for bit, and every byte of the
    /// padding and of the canaries. A NaN is wrong even where a NaN is expected.
    [[nodiscard]] Verdict verify(const Expected& expected);
    /// The same for floating-point elements, each of which is right within its tolerance.
    [[nodiscard]] Verdict verify(const Tolerances& tolerances);
    /// The same, for an `expected` that gives what it gave every time since forget_expected(): its
    /// elements are made once and kept next to the output, in the same memory if there is room, and
    /// compared there. Only an output that is wrong comes to the host, to be told what is wrong.
    [[nodiscard]] Verdict verify_again(const Expected& expected);
    /// From here on verify_again() is given something else.
    void forget_expected() { cache_state_ = ReferenceCache::empty; }

    static constexpr std::size_t canary_bytes = 512; ///< bytes watched on each side

  private:
    class Comparison;
    /// Whether the expected elements lie next to the output.
    enum class ReferenceCache
    {
        empty,      ///< they have not been made yet
        filled,     ///< they are in cache_
        unavailable ///< there is no room, or one is a NaN, which is wrong anyhow
    };

    /// Page-locked memory for what goes to the device or comes from it.
    const Buffer<std::byte>& staging();
    /// A host copy of `bytes` at `offset` of the storage, valid until the next call.
    const std::byte* fetch(std::size_t offset, std::size_t bytes);
    void fill(std::size_t offset, unsigned char byte, std::size_t bytes);
    /// Whether all elements are those of the cache, to the bit.
    [[nodiscard]] bool equals_cache() const;
    /// Fills the cache with the expected elements, if that can be done.
    void fill_cache(const Expected& expected);
    /// Compares the elements, unless they are known to be right, and checks the bytes around them.
    [[nodiscard]] Verdict verdict(Comparison&& comparison, bool known);
    void compare_array(Comparison& comparison);
    /// Compares the rows one by one; returns the first whose padding is damaged.
    std::optional<std::size_t> compare_rows(Comparison& comparison);
    void check_canaries(Verdict& verdict);
    /// Bytes of a row's elements.
    [[nodiscard]] std::size_t row_bytes() const { return rows_.columns * element_bytes(element_); }
    [[nodiscard]] bool padded() const { return rows_.pitch > row_bytes(); }
    [[nodiscard]] bool on_device() const { return storage_.kind() == MemoryKind::device; }

    Element element_ = Element::f32;
    Rows rows_;
    std::size_t start_ = 0;     ///< bytes before the array
    std::size_t behind_ = 0;    ///< bytes of the canary behind it
    Buffer<std::byte> storage_; ///< all of it
    Buffer<std::byte> staging_; ///< page-locked, where the host cannot touch the storage
    Buffer<std::byte> cache_;   ///< expected elements
    ReferenceCache cache_state_ = ReferenceCache::empty;
};

} // namespace common
