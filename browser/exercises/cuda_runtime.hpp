/// \file
/// CUDA as an answer sees it that is compiled in a browser: the qualifiers, the vector types, what
/// is built in, and launches. Little, for a reader waits while it is compiled.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/qualifiers.hpp"
#include "cpu_device/detail/vector_types.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Of the module that checks: accesses.cpp, checker.cpp.
extern "C" {
__attribute__((const)) unsigned figures_thread_index(unsigned);
__attribute__((const)) unsigned figures_block_index(unsigned);
__attribute__((const)) unsigned figures_block_dimensions(unsigned);
__attribute__((const)) unsigned figures_grid_dimensions(unsigned);
__attribute__((malloc)) void* figures_local_memory(volatile void* array, std::size_t bytes);
void figures_next_round(bool unrolled);
void figures_need_loaded();
void figures_loads_pass_stores();
void figures_barrier(int line);
void figures_launch(const char* kernel, int line, const unsigned* sizes, std::size_t shared_bytes,
                    void (*body)(void*), void* context);
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

// As builtins.hpp has it.
template<class Array>
__attribute__((always_inline)) inline Array& local_array(Array& array)
{
    return *static_cast<Array*>(figures_local_memory(&array, sizeof array));
}
template<class Index, class Step>
__attribute__((always_inline)) inline Step run_time_step(Step step)
{
    if (!__builtin_constant_p(step))
        figures_next_round(std::is_signed_v<std::remove_reference_t<Index>> &&
                           std::is_signed_v<Step>);
    return step;
}
template<class Element>
__attribute__((always_inline)) constexpr Element loaded_index(Element element)
{
    if (!__builtin_is_constant_evaluated())
        figures_need_loaded();
    return element;
}
inline void loads_pass_stores()
{
    figures_loads_pass_stores();
}

template<class Thread>
__attribute__((no_sanitize("thread"))) void run_thread(void* thread)
{
    (*static_cast<const Thread*>(thread))();
}

/// A kernel in front of its `<<<...>>>`.
template<class Resolve, class Call>
struct KernelCall
{
    const char* name;
    int line;
    Call call;

    KernelCall(const char* name_, const char*, int line_, Resolve, Call call_)
        : name(name_), line(line_), call(call_)
    {}
    auto on(dim3 grid, dim3 block, std::size_t shared_bytes = 0, void* = nullptr) const
    {
        return [ =, *this ](auto... arguments) __attribute__((no_sanitize("thread")))
        {
            const auto thread = [&]() __attribute__((no_sanitize("thread")))
            {
                call(arguments...);
            };
            const unsigned sizes[] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
            figures_launch(name, line, sizes, shared_bytes, &run_thread<decltype(thread)>,
                           const_cast<void*>(static_cast<const void*>(&thread)));
        };
    }
};

} // namespace cpu_device

inline constexpr cpu_device::ThreadIndex threadIdx{};
inline constexpr cpu_device::BlockIndex blockIdx{};
inline constexpr cpu_device::BlockDimensions blockDim{};
inline constexpr cpu_device::GridDimensions gridDim{};
inline constexpr int warpSize = 32;

inline void __syncthreads(int line = __builtin_LINE())
{
    figures_barrier(line);
}

template<class One, class Other>
constexpr auto min(One one, Other other)
{
    return other < one ? other : one;
}
template<class One, class Other>
constexpr auto max(One one, Other other)
{
    return one < other ? other : one;
}

/// How the module that checks runs one thread.
extern "C" __attribute__((export_name("figures_thread"), no_sanitize("thread"))) inline void
figures_thread(void (*body)(void*), void* context)
{
    body(context);
}
