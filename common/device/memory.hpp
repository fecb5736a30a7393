/// \file
/// Memory, streams and events that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace common {

/// A kind of memory: where it is, and how it was allocated.
enum class MemoryKind
{
    device,         ///< cudaMalloc: the device's own memory; only kernels and copies may touch it
    pageable,       ///< host memory as `new` gives it
    registered,     ///< the same, page-locked afterwards by cudaHostRegister
    pinned,         ///< cudaMallocHost: page-locked host memory; copies are asynchronous and fast
    portable,       ///< cudaHostAllocPortable: page-locked for every CUDA context
    write_combined, ///< cudaHostAllocWriteCombined: page-locked, not cached; slow to read
    mapped,         ///< cudaHostAllocMapped: page-locked, for kernels to use in place
    managed         ///< cudaMallocManaged: pages migrate to the side that accesses them
};

/// Allocates `bytes` bytes, aligned to 256; null for 0. Throws a CudaError that says how much of
/// which memory was requested, and how much there is.
[[nodiscard]] void* allocate(MemoryKind kind, std::size_t bytes);
/// Frees memory of allocate(), or null.
void release(MemoryKind kind, void* address) noexcept;

/// Owns `size()` elements of type T, uninitialised. Moves, does not copy.
template<class T>
class Buffer
{
  public:
    Buffer() = default;
    /// Allocates `size` elements. Throws CudaError when memory is exhausted.
    explicit Buffer(std::size_t size, MemoryKind kind = MemoryKind::device)
        : data_(static_cast<T*>(allocate(kind, size * sizeof(T)))), size_(size), kind_(kind)
    {}
    /// Takes the memory over; `other` is empty afterwards.
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          kind_(other.kind_)
    {}
    /// Exchanges the memory with that of `other`.
    Buffer& operator=(Buffer&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(kind_, other.kind_);
        return *this;
    }
    ~Buffer() { release(kind_, data_); }

    [[nodiscard]] T* data() const { return data_; }          ///< first element, or null
    [[nodiscard]] std::size_t size() const { return size_; } ///< elements
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); } ///< bytes
    [[nodiscard]] MemoryKind kind() const { return kind_; }               ///< kind of memory

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    MemoryKind kind_ = MemoryKind::device;
};

/// The host or a device, as cudaMemAdvise() of the installed CUDA takes it: from version 13 on a
/// type and a number, before a number alone.
#if CUDART_VERSION >= 13000
using MemoryPlace = cudaMemLocation;
#else
using MemoryPlace = int;
#endif
/// The host's memory.
[[nodiscard]] MemoryPlace host_place();
/// The memory of the device in use. Throws CudaError.
[[nodiscard]] MemoryPlace device_place();
/// cudaMemPrefetchAsync(), by the signature of the installed CUDA: queues the move of `bytes` of
/// managed memory. Throws CudaError.
void prefetch(const void* address, std::size_t bytes, MemoryPlace to, cudaStream_t stream);
/// True if host and device may use managed memory at the same time, and prefetch and advice work.
/// Throws CudaError.
[[nodiscard]] bool concurrent_managed_access();

/// A blocking CUDA stream: it and the default stream wait for each other.
class Stream
{
  public:
    /// Throws CudaError.
    Stream();
    /// Takes the stream over; `other` has none afterwards.
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    /// Exchanges the streams.
    Stream& operator=(Stream&& other) noexcept
    {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~Stream();

    /// Waits until everything queued has finished. Throws CudaError, also for faults of kernels.
    void synchronize() const;
    [[nodiscard]] cudaStream_t get() const { return stream_; } ///< for the runtime API
    operator cudaStream_t() const { return stream_; }          ///< usable wherever a stream is

  private:
    cudaStream_t stream_ = nullptr;
};

/// A CUDA event.
class Event
{
  public:
    /// Throws CudaError.
    Event();
    /// Takes the event over; `other` has none afterwards.
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    /// Exchanges the events.
    Event& operator=(Event&& other) noexcept
    {
        std::swap(event_, other.event_);
        return *this;
    }
    ~Event();

    /// Records the event in `stream`.
    void record(cudaStream_t stream) const;
    /// Waits until the work before the event has finished.
    void synchronize() const;
    /// Milliseconds of device time from `start` to this event; both must have been recorded and
    /// reached.
    [[nodiscard]] double milliseconds_since(const Event& start) const;
    [[nodiscard]] cudaEvent_t get() const { return event_; } ///< for the runtime API

  private:
    cudaEvent_t event_ = nullptr;
};

} // namespace common
