/// \file
/// cpu_device/detail/built_in_variables.hpp for a program that is compiled in a browser: another
/// module has the variables.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/vector_types.hpp"

// Of the module that runs the program (accesses.cpp).
extern "C" {
__attribute__((const)) unsigned figures_thread_index(unsigned);
__attribute__((const)) unsigned figures_block_index(unsigned);
__attribute__((const)) unsigned figures_block_dimensions(unsigned);
__attribute__((const)) unsigned figures_grid_dimensions(unsigned);
}

namespace cpu_device {

#define CPU_DEVICE_BUILTIN(Type, Whole, function)                                                  \
    struct Type                                                                                    \
    {                                                                                              \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
        static unsigned get_x() { return function(0); }                                            \
        static unsigned get_y() { return function(1); }                                            \
        static unsigned get_z() { return function(2); }                                            \
        operator Whole() const { return Whole(get_x(), get_y(), get_z()); }                        \
    };
CPU_DEVICE_BUILTIN(ThreadIndex, uint3, figures_thread_index)
CPU_DEVICE_BUILTIN(BlockIndex, uint3, figures_block_index)
CPU_DEVICE_BUILTIN(BlockDimensions, dim3, figures_block_dimensions)
CPU_DEVICE_BUILTIN(GridDimensions, dim3, figures_grid_dimensions)
#undef CPU_DEVICE_BUILTIN

} // namespace cpu_device

inline constexpr cpu_device::ThreadIndex threadIdx{};
inline constexpr cpu_device::BlockIndex blockIdx{};
inline constexpr cpu_device::BlockDimensions blockDim{};
inline constexpr cpu_device::GridDimensions gridDim{};
inline constexpr int warpSize = 32;
