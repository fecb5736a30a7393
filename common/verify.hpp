/// \file
/// Checks an output, every element and the bytes around it.
#pragma once

#include "common/element.hpp"
#include "common/memory.hpp"

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

    /// The first element.
    [[nodiscard]] void* data() const;
    [[nodiscard]] std::size_t size() const { return size_; } ///< elements

    /// Fills output and canaries with the poison; returns when all of it is there.
    void poison();
    /// Compares every element with what `expected` gives, bit for bit, and every byte of the
    /// canaries. A NaN is wrong even where a NaN is expected.
    [[nodiscard]] Verdict verify(const Expected& expected);

    static constexpr std::size_t canary_bytes = 512; ///< bytes watched on each side

  private:
    [[nodiscard]] std::byte* storage() const;
    [[nodiscard]] std::size_t storage_bytes() const;
    /// A host copy of `bytes` at `offset` of the storage, valid until the next call.
    const std::byte* fetch(std::size_t offset, std::size_t bytes);
    void check_canaries(Verdict& verdict);

    Element element_ = Element::f32;
    std::size_t size_ = 0;
    OutputSpace space_ = OutputSpace::device;
    std::size_t start_ = 0; ///< bytes before the output, all of them canary
    DeviceBuffer<std::byte> device_;
    PinnedBuffer<std::byte> pinned_;
    MappedBuffer<std::byte> mapped_;
    ManagedBuffer<std::byte> managed_;
    std::vector<std::byte> pageable_;
    PinnedBuffer<std::byte> staging_;
};

} // namespace common
