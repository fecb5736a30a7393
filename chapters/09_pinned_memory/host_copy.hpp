/// \file
/// Copies between host and device, and the host's own reading, from memory of every kind of page.
#pragma once

#include "common/problem/problem.hpp"

namespace common {

/// How a host array is allocated, and what becomes of its pages.
enum class HostPages
{
    pageable,       ///< as `new` does
    pinned,         ///< page-locked by its allocation
    portable,       ///< the same, for every CUDA context
    write_combined, ///< the same, and past the host's caches
    registered,     ///< as `new` does, then page-locked by cudaHostRegister
    to_register     ///< as `new` does: the variant registers it
};

/// A host array of floats that frees itself.
class HostArray
{
  public:
    HostArray() = default;
    /// `size` floats. Throws CudaError or std::bad_alloc when memory is exhausted.
    HostArray(HostPages pages, std::size_t size);
    [[nodiscard]] float* data() const { return data_; } ///< first float, or null

  private:
    std::vector<float> pageable_; ///< one of these is in use
    PinnedBuffer<float> pinned_;
    PortableBuffer<float> portable_;
    WriteCombinedBuffer<float> write_combined_;
    float* data_ = nullptr;
};

/// Page-locks memory that was allocated otherwise, as long as it lives.
class Registration
{
  public:
    Registration() = default;
    /// Throws CudaError.
    Registration(void* address, std::size_t bytes);
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    /// Takes the registration over.
    Registration& operator=(Registration&& other) noexcept;
    ~Registration();

  private:
    void* address_ = nullptr;
};

/// Which way a copy goes.
enum class Direction
{
    to_device,
    to_host
};

/// `n` floats from a host array to a device array, or from a device array to a host array.
/// bytes() counts what crosses the link, once. Every element of the destination is compared; it is
/// poisoned before, and stands between canaries.
class HostCopy : public UnaryProblem
{
  public:
    /// The host's array has pages of that kind: to_host knows pageable, pinned, registered and
    /// to_register; others are std::invalid_argument. Throws CudaError or std::bad_alloc when
    /// memory is exhausted.
    HostCopy(const Chapter& chapter, Direction direction, HostPages pages, std::size_t size);

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return n * sizeof(float); }

  private:
    Direction direction_;
    HostArray input_;      ///< of a copy to the device
    GuardedOutput output_; ///< of a copy to the host
    Registration registration_;

  public:
    float* host;   ///< source or destination, host memory
    float* device; ///< destination or source, device memory
    std::size_t n; ///< floats of each
};

/// The sum of `n` floats in host memory, read by the host: what a kind of page costs there.
class HostSum : public Problem
{
  public:
    /// Throws CudaError or std::bad_alloc when memory is exhausted.
    HostSum(const Chapter& chapter, HostPages pages, std::size_t size);

    /// Keeps what `add(host, n)` returns: the sum, which is exact in a double in any order.
    void read_with(double (*add)(const float* host, std::size_t n));
    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return n * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n; }

  private:
    HostPages pages_;
    HostArray host_;
    double expected_ = 0;
    double sum_ = 0;

  public:
    std::size_t n; ///< floats
};

} // namespace common
