/// \file
/// `threadIdx` and its relatives.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/vector_types.hpp"

namespace cpu_device {

// The members are constants to the kernel, so that the compiler neither reloads them nor calls the
// tracer for them; the executor, which knows them by their assembler names, sets them for each
// thread that it resumes.
#define CPU_DEVICE_BUILTIN(Type, Whole, symbol)                                                    \
    struct Type                                                                                    \
    {                                                                                              \
        static __thread const unsigned x __asm__("cpu_device_" symbol "_x");                       \
        static __thread const unsigned y __asm__("cpu_device_" symbol "_y");                       \
        static __thread const unsigned z __asm__("cpu_device_" symbol "_z");                       \
        [[gnu::always_inline]] operator Whole() const { return Whole(x, y, z); }                   \
    };
CPU_DEVICE_BUILTIN(ThreadIndex, uint3, "thread_index")
CPU_DEVICE_BUILTIN(BlockIndex, uint3, "block_index")
CPU_DEVICE_BUILTIN(BlockDimensions, dim3, "block_dimensions")
CPU_DEVICE_BUILTIN(GridDimensions, dim3, "grid_dimensions")
#undef CPU_DEVICE_BUILTIN

} // namespace cpu_device

inline constexpr cpu_device::ThreadIndex threadIdx{};
inline constexpr cpu_device::BlockIndex blockIdx{};
inline constexpr cpu_device::BlockDimensions blockDim{};
inline constexpr cpu_device::GridDimensions gridDim{};
inline constexpr int warpSize = 32;
