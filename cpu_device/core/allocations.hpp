/// \file
/// Memory that the runtime hands out.
#pragma once

#include "cpu_device/detail/runtime_types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace cpu_device {

struct Allocation
{
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    /// cudaMemoryTypeHost is host memory that kernels may use; a host thread may not touch the
    /// device's.
    cudaMemoryType kind = cudaMemoryTypeDevice;
    std::uint64_t serial = 0; ///< "allocation 3", counted from 1
    bool freed = false;
    int device = 0;          ///< whose memory it is; of host memory, the one that was current
    std::uintptr_t call = 0; ///< behind the call that allocated it; 0 where nobody knows
};

/// Reserves `bytes` of a device with guard pages around them; device memory is filled with the
/// poison pattern. Null when its memory is exhausted.
/// `call` as Allocation::call.
[[nodiscard]] void* allocate(std::size_t bytes, cudaMemoryType kind, int device,
                             std::uintptr_t call = 0);
/// The live or freed allocation that holds `address` (or, if none, the closest one below).
[[nodiscard]] std::optional<Allocation> nearest_allocation(const void* address);
/// The live allocation that holds `address`.
[[nodiscard]] std::optional<Allocation> find_allocation(const void* address);
/// Adds memory that the program owns (cudaHostRegister).
bool adopt(void* address, std::size_t bytes);
[[nodiscard]] std::size_t device_memory_total();

/// While one lives, the host may touch device memory (cudaMemcpy, cudaMemset). At other times
/// device memory is out of the host's reach, as on a GPU, and a host thread that dereferences a
/// device pointer is stopped with a sentence. Kernels need none. May be nested, on any thread.
/// Unless `may_write` is false, memory counts as changed (core/repetition.hpp).
class DeviceMemoryAccess
{
  public:
    explicit DeviceMemoryAccess(bool may_write = true);
    /// Of the allocations alone that hold these addresses, where they are a device's.
    DeviceMemoryAccess(bool may_write, const void* one, const void* other);
    ~DeviceMemoryAccess();
    DeviceMemoryAccess& operator=(DeviceMemoryAccess&&) = delete;

  private:
    bool may_write_;
    std::optional<std::pair<const void*, const void*>> named_; ///< nothing: all memory
};

} // namespace cpu_device
