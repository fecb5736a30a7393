/// \file
/// What CUDA adds to C++ inside kernels: `threadIdx` and its relatives, barriers,
/// and the object that a `<<<...>>>` launch becomes.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/detail/qualifiers.hpp"
#include "cpu_device/detail/runtime_types.hpp"
#include "cpu_device/detail/vector_types.hpp"
#include "cpu_device/device_limits.hpp"

#ifdef CPU_DEVICE_UNCOUNTED
#include <coroutine>
#endif
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

// --- built-in variables ---------------------------------------------------------------------

namespace cpu_device {

// The members are constants to the kernel, so that the compiler neither reloads them nor calls the
// tracer for them; the executor, which knows them by their assembler names, sets them for each
// thread that it resumes.
#ifdef CPU_DEVICE_UNCOUNTED // but a loop over threads sets one of them
#define CPU_DEVICE_SET_BY_LOOP
#else
#define CPU_DEVICE_SET_BY_LOOP const
#endif
#define CPU_DEVICE_BUILTIN(Type, Whole, symbol, constant)                                          \
    struct Type                                                                                    \
    {                                                                                              \
        static __thread constant unsigned x __asm__("cpu_device_" symbol "_x");                    \
        static __thread constant unsigned y __asm__("cpu_device_" symbol "_y");                    \
        static __thread constant unsigned z __asm__("cpu_device_" symbol "_z");                    \
        operator Whole() const { return Whole(x, y, z); }                                          \
    };
CPU_DEVICE_BUILTIN(ThreadIndex, uint3, "thread_index", CPU_DEVICE_SET_BY_LOOP)
CPU_DEVICE_BUILTIN(BlockIndex, uint3, "block_index", const)
CPU_DEVICE_BUILTIN(BlockDimensions, dim3, "block_dimensions", const)
CPU_DEVICE_BUILTIN(GridDimensions, dim3, "grid_dimensions", const)
#undef CPU_DEVICE_SET_BY_LOOP
#undef CPU_DEVICE_BUILTIN

} // namespace cpu_device

inline constexpr cpu_device::ThreadIndex threadIdx{};
inline constexpr cpu_device::BlockIndex blockIdx{};
inline constexpr cpu_device::BlockDimensions blockDim{};
inline constexpr cpu_device::GridDimensions gridDim{};
inline constexpr int warpSize = 32;

// --- barriers -------------------------------------------------------------------------------

inline void __syncthreads(cpu_device::SourceLine where = cpu_device::SourceLine::here())
{
    cpu_device::barrier(false, where);
}
inline int __syncthreads_count(int predicate,
                               cpu_device::SourceLine where = cpu_device::SourceLine::here())
{
    return cpu_device::barrier(predicate != 0, where);
}
inline int __syncthreads_or(int predicate,
                            cpu_device::SourceLine where = cpu_device::SourceLine::here())
{
    return cpu_device::barrier(predicate != 0, where) != 0;
}
inline int __syncthreads_and(int predicate,
                             cpu_device::SourceLine where = cpu_device::SourceLine::here())
{
    return cpu_device::barrier(predicate == 0, where) == 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu,
                       cpu_device::SourceLine where = cpu_device::SourceLine::here())
{
    cpu_device::warp_exchange(mask, 0, where);
}

// --- launches -------------------------------------------------------------------------------

namespace cpu_device {

/// Runs `launch` when `stream` comes to it: now, or, while the stream is being captured, at every
/// launch of the graph. The runtime API defines it.
void run_in_stream(cudaStream_t stream, std::function<void()> launch);

/// What the rewriter gives an array's name to: `float x[8]` becomes `float local_memory_x[8]; auto&
/// x = local_array(local_memory_x);`.
template<class Array>
__attribute__((always_inline)) inline Array& local_array(Array& array)
{
#ifdef CPU_DEVICE_UNCOUNTED
    return array;
#else
    return *static_cast<Array*>(local_memory(&array, sizeof array));
#endif
}

/// What the rewriter gives the step of a loop to: the loads of the next round wait for those of
/// this one if no compiler can know it.
template<class Step>
__attribute__((always_inline)) inline Step run_time_step(Step step)
{
#ifndef CPU_DEVICE_UNCOUNTED
    if (!__builtin_constant_p(step))
        next_round();
#endif
    return step;
}

/// What the rewriter gives an index to that is an element of an array: what it leads to waits for
/// it.
template<class Element>
__attribute__((always_inline)) constexpr Element loaded_index(Element element)
{
#ifndef CPU_DEVICE_UNCOUNTED
    if (!__builtin_is_constant_evaluated())
        need_loaded();
#endif
    return element;
}

#ifdef CPU_DEVICE_UNCOUNTED
/// Runs `thread`, the body of a kernel with its parameters, for the threads that the executor wants
/// run, until one of them has to wait. Everything that the loop needs is local, so that compilers
/// can vectorise it. `sets_index`: other functions read threadIdx, too.
template<bool sets_index, class Thread>
__attribute__((always_inline)) inline void run_threads(const Thread& thread)
{
    __asm__("# a kernel of cpu_device"); // how it is found in the assembly
    FreshThreads threads;
    take_threads(threads);
    const uint3 block_index(BlockIndex::x, BlockIndex::y, BlockIndex::z);
    const dim3 block(BlockDimensions::x, BlockDimensions::y, BlockDimensions::z);
    const dim3 grid(GridDimensions::x, GridDimensions::y, GridDimensions::z);
    const unsigned end = threads.end;
    for (unsigned number = threads.first; number < end;) {
        const unsigned row = number / block.x;
        const unsigned y = row % block.y, z = row / block.y, first = row * block.x;
        const unsigned end_of_row = end < first + block.x ? end : first + block.x;
        for (; number < end_of_row; ++number) {
            const unsigned x = number - first;
            threads.current = number;
            if constexpr (sets_index) {
                ThreadIndex::x = x;
                ThreadIndex::y = y;
                ThreadIndex::z = z;
            }
            if constexpr (std::is_trivially_copyable_v<Thread>) {
                Thread own = thread;
                own(uint3(x, y, z), block_index, block, grid);
            } else { // as in CUDA, the bits of the arguments
                alignas(Thread) std::byte bits[sizeof(Thread)];
                std::memcpy(bits, static_cast<const void*>(&thread), sizeof bits);
                reinterpret_cast<Thread&>(bits)(uint3(x, y, z), block_index, block, grid);
            }
            if (threads.interrupted)
                return;
        }
    }
}
#ifdef __cpp_impl_coroutine
/// A thread of a kernel that waits for its block at `__syncthreads()` and nowhere else.
struct ThreadInPhases
{
    struct promise_type
    {
        static void* operator new(std::size_t bytes) { return take_frame(bytes); }
        static void operator delete(void*, std::size_t) {} // all at once, behind the block
        ThreadInPhases get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        unsigned number = 0;
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

/// Runs `thread` for all threads of the block, each up to its next barrier before any goes on.
template<bool sets_index, class Thread>
__attribute__((always_inline)) inline void run_phases(const Thread& thread)
{
    __asm__("# a kernel of cpu_device"); // how it is found in the assembly
    FreshThreads threads;
    take_threads(threads);
    threads.in_phases = true;
    const uint3 block_index(BlockIndex::x, BlockIndex::y, BlockIndex::z);
    const dim3 block(BlockDimensions::x, BlockDimensions::y, BlockDimensions::z);
    const dim3 grid(GridDimensions::x, GridDimensions::y, GridDimensions::z);
    const auto index_of = [&block](unsigned number) {
        return uint3(number % block.x, number / block.x % block.y, number / block.x / block.y);
    };
    const auto enter = [&](unsigned number) {
        threads.current = number;
        if constexpr (sets_index) {
            const uint3 index = index_of(number);
            ThreadIndex::x = index.x;
            ThreadIndex::y = index.y;
            ThreadIndex::z = index.z;
        }
    };
    // As in CUDA, each thread has the bits of the arguments.
    constexpr std::align_val_t alignment{alignof(Thread)};
    auto* const own = static_cast<Thread*>(::operator new(threads.end * sizeof(Thread), alignment));
    std::coroutine_handle<ThreadInPhases::promise_type>
        waiting[DeviceLimits::max_threads_per_block];
    unsigned count = 0;
    for (unsigned number = 0; number < threads.end; ++number) {
        std::memcpy(static_cast<void*>(own + number), static_cast<const void*>(&thread),
                    sizeof thread);
        enter(number);
        const auto handle = own[number](index_of(number), block_index, block, grid).handle;
        handle.promise().number = number;
        if (!handle.done())
            waiting[count++] = handle;
    }
    while (count != 0) {
        unsigned still = 0;
        for (unsigned i = 0; i < count; ++i) {
            if constexpr (sets_index)
                enter(waiting[i].promise().number);
            waiting[i].resume();
            if (!waiting[i].done())
                waiting[still++] = waiting[i];
        }
        count = still;
    }
    ::operator delete(own, alignment);
}
#endif
#endif

/// The name of the kernel at `kernel`, `scale<float>`, which lives until the process ends;
/// `otherwise` if the program has no symbol for it. The runtime API defines it.
const char* kernel_name(const void* kernel, const char* otherwise);
/// Its name with its parameters: `scale<float>(float*, int)`; empty without a symbol.
const char* kernel_signature(const void* kernel);
/// The same of a kernel that only a call of type `call` can tell, by that call's arguments:
/// `scale(float*, int)`.
const char* call_signature(const char* kernel, const std::type_info& call);

/// Runs one thread of a launch. No lambda, because its conversion to a pointer is a function that
/// would be instrumented, and into which g++ moves loads of what it calls.
template<class Thread>
__attribute__((no_sanitize("thread"))) void run_thread(void* thread)
{
    (*static_cast<const Thread*>(thread))();
}

/// The execution configuration of one launch: what stands between `<<<` and `>>>`.
class Launcher
{
  public:
    /// `kernel` is its name as written, for reports; the rest as in CUDA.
    Launcher(const char* kernel, const char* file, int line, dim3 grid, dim3 block,
             std::size_t shared = 0, cudaStream_t stream = nullptr)
        : stream_(stream)
    {
        configuration_.kernel = kernel;
        configuration_.file = file;
        configuration_.line = line;
        configuration_.grid = {grid.x, grid.y, grid.z};
        configuration_.block = {block.x, block.y, block.z};
        configuration_.dynamic_shared_bytes = shared;
    }

    [[nodiscard]] const char* name() const { return configuration_.kernel; }

    /// A callable that takes the kernel's arguments, copies them once, as a launch does, and calls
    /// `body` with them for every thread of the grid. Launch errors go to cudaGetLastError().
    /// `function`, `signature` and `by_address` as in LaunchConfiguration.
    template<class Body>
    [[nodiscard]] auto kernel(Body body, const void* function, const char* signature,
                              bool by_address = false) const
    {
        LaunchConfiguration configuration = configuration_;
        configuration.function = function;
        configuration.signature = signature;
        configuration.by_address = by_address;
        return [configuration, stream = stream_, body]<class... Arguments>(Arguments... arguments) {
            // Not instrumented: the arguments of a kernel are in constant memory on a GPU.
            auto thread =
                [ body, ... copies = std::move(arguments) ]() __attribute__((no_sanitize("thread")))
            {
                body(copies...);
            };
            using Thread = decltype(thread);
            run_in_stream(stream, [configuration, thread] {
                set_launch_error(
                    launch(configuration, run_thread<Thread>, const_cast<Thread*>(&thread)));
            });
        };
    }

  private:
    LaunchConfiguration configuration_;
    cudaStream_t stream_;
};

} // namespace cpu_device
