#include "common/device/memory.hpp"

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <new>

namespace common {

namespace {

/// Of every allocation: cudaMalloc promises it, and the host's memory gets the same.
constexpr std::align_val_t alignment{256};

cudaError_t allocate_pageable(void** address, std::size_t bytes)
{
    *address = operator new(bytes, alignment, std::nothrow);
    return *address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t allocate_registered(void** address, std::size_t bytes)
{
    if (const cudaError_t status = allocate_pageable(address, bytes); status != cudaSuccess)
        return status;
    const cudaError_t status = cudaHostRegister(*address, bytes, cudaHostRegisterDefault);
    if (status != cudaSuccess)
        operator delete(*address, alignment);
    return status;
}

cudaError_t allocate_in(MemoryKind kind, void** address, std::size_t bytes)
{
    switch (kind) {
    case MemoryKind::device:
        return cudaMalloc(address, bytes);
    case MemoryKind::pageable:
        return allocate_pageable(address, bytes);
    case MemoryKind::registered:
        return allocate_registered(address, bytes);
    case MemoryKind::pinned:
        return cudaMallocHost(address, bytes);
    case MemoryKind::portable:
        return cudaHostAlloc(address, bytes, cudaHostAllocPortable);
    case MemoryKind::write_combined:
        return cudaHostAlloc(address, bytes, cudaHostAllocWriteCombined);
    case MemoryKind::mapped:
        return cudaHostAlloc(address, bytes, cudaHostAllocMapped);
    case MemoryKind::managed:
        return cudaMallocManaged(address, bytes);
    }
    return cudaErrorInvalidValue;
}

const char* name(MemoryKind kind)
{
    switch (kind) {
    case MemoryKind::device:
        return "device memory";
    case MemoryKind::pageable:
        return "host memory";
    case MemoryKind::registered:
        return "registered host memory";
    case MemoryKind::pinned:
        return "page-locked host memory";
    case MemoryKind::portable:
        return "portable page-locked host memory";
    case MemoryKind::write_combined:
        return "write-combined host memory";
    case MemoryKind::mapped:
        return "mapped host memory";
    case MemoryKind::managed:
        return "managed memory";
    }
    return "memory";
}

[[noreturn]] void throw_out_of_memory(MemoryKind kind, std::size_t bytes)
{
    std::size_t available = 0;
    std::size_t total = 0;
    std::string there_is = "less than that is free";
    // On the CPU device it may be the host that has no more, while the device has room.
    if (kind == MemoryKind::device && cudaMemGetInfo(&available, &total) == cudaSuccess &&
        available < bytes)
        there_is = fmt::format("{} of {} are free", format_bytes(available), format_bytes(total));
    throw CudaError(cudaErrorMemoryAllocation,
                    fmt::format("Out of {}: requested {}; {}. Try a smaller --n, such as --n 1Mi.",
                                name(kind), format_bytes(bytes), there_is));
}

} // namespace

void* allocate(MemoryKind kind, std::size_t bytes)
{
    if (bytes == 0)
        return nullptr;
    void* address = nullptr;
    const cudaError_t status = allocate_in(kind, &address, bytes);
    if (status == cudaErrorMemoryAllocation) {
        // Not sticky, but the runtime keeps it for the next cudaGetLastError().
        static_cast<void>(cudaGetLastError());
        throw_out_of_memory(kind, bytes);
    }
    if (status != cudaSuccess)
        throw_cuda_error(status,
                         fmt::format("allocating {} of {}", format_bytes(bytes), name(kind)), "");
    return address;
}

void release(MemoryKind kind, void* address) noexcept
{
    if (address == nullptr)
        return; // even cudaFree(nullptr) starts the driver, which --list must not need
    // A destructor cannot report; a broken context is reported by the call that broke it.
    if (kind == MemoryKind::device || kind == MemoryKind::managed) {
        static_cast<void>(cudaFree(address));
    } else if (kind == MemoryKind::pageable || kind == MemoryKind::registered) {
        if (kind == MemoryKind::registered)
            static_cast<void>(cudaHostUnregister(address));
        operator delete(address, alignment);
    } else {
        static_cast<void>(cudaFreeHost(address));
    }
}

namespace {

int current_device()
{
    int device = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    return device;
}

} // namespace

#if CUDART_VERSION >= 13000
MemoryPlace host_place()
{
    return {cudaMemLocationTypeHost, 0};
}

MemoryPlace device_place()
{
    return {cudaMemLocationTypeDevice, current_device()};
}

void prefetch(const void* address, std::size_t bytes, MemoryPlace to, cudaStream_t stream)
{
    CHECK_CUDA(cudaMemPrefetchAsync(address, bytes, to, 0, stream));
}
#else
MemoryPlace host_place()
{
    return cudaCpuDeviceId;
}

MemoryPlace device_place()
{
    return current_device();
}

void prefetch(const void* address, std::size_t bytes, MemoryPlace to, cudaStream_t stream)
{
    CHECK_CUDA(cudaMemPrefetchAsync(address, bytes, to, stream));
}
#endif

bool concurrent_managed_access()
{
    return attribute(cudaDevAttrConcurrentManagedAccess) != 0;
}

Stream::Stream()
{
    CHECK_CUDA(cudaStreamCreate(&stream_));
}

Stream::~Stream()
{
    if (stream_ != nullptr)
        static_cast<void>(cudaStreamDestroy(stream_));
}

void Stream::synchronize() const
{
    CHECK_CUDA(cudaStreamSynchronize(stream_));
}

Event::Event()
{
    CHECK_CUDA(cudaEventCreate(&event_));
}

Event::~Event()
{
    if (event_ != nullptr)
        static_cast<void>(cudaEventDestroy(event_));
}

void Event::record(cudaStream_t stream) const
{
    CHECK_CUDA(cudaEventRecord(event_, stream));
}

void Event::synchronize() const
{
    CHECK_CUDA(cudaEventSynchronize(event_));
}

double Event::milliseconds_since(const Event& start) const
{
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return static_cast<double>(milliseconds);
}

} // namespace common
