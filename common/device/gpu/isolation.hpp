/// \file
/// What keeps the rest of the machine out of a measured time: a kernel that holds the stream while
/// the host queues the work, and one that empties the L2 cache.
#pragma once

#include "common/device/memory.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>

namespace common {

/// Holds a stream, so that everything queued on it runs back to back once it is released.
///
/// The kernel that holds the stream watches a flag in host memory. It gives up by itself after
/// `timeout`, so a host that waits for the stream before releasing it is delayed and not stuck.
class Blocker
{
  public:
    /// Throws CudaError.
    explicit Blocker(std::chrono::nanoseconds timeout);
    /// Releases the stream and waits for it, because the kernel reads memory that ends here.
    ~Blocker();
    Blocker(const Blocker&) = delete;
    Blocker& operator=(const Blocker&) = delete;

    /// Holds `stream` until release(). Whatever an earlier block() held must have been waited for.
    /// Throws CudaError.
    void block(cudaStream_t stream);
    /// Lets the stream run. Harmless without a block().
    void release() noexcept;
    /// True when the last block() gave up before release(). Ask after waiting for the stream.
    [[nodiscard]] bool timed_out() const noexcept;

  private:
    std::chrono::nanoseconds timeout_;
    cudaStream_t stream_ = nullptr;
    Buffer<int> flags_;
    // Within flags_; volatile, because host and kernel must see each other's stores.
    volatile int* released_;
    volatile int* timed_out_;
};

/// Replaces what the L2 cache holds by data of nobody.
///
/// It reads and does not write: a written buffer would leave dirty lines behind, and the kernel
/// measured next would pay for their write-back. The reads also push out the dirty lines that the
/// kernel before left.
class L2Flush
{
  public:
    /// Allocates several times the L2. Lines that an access policy holds there survive reads;
    /// `reset_persisting` says whether they are given up first. Throws CudaError.
    explicit L2Flush(bool reset_persisting);

    /// Makes lines that an access policy holds in the L2 ordinary ones again, if this was requested
    /// , then queues the reads on `stream`. No work that relies on persisting lines may be
    /// running. Throws CudaError.
    void queue(cudaStream_t stream);

  private:
    Buffer<uint4> buffer_;
    bool reset_persisting_;
};

} // namespace common
