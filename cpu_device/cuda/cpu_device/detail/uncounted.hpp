/// \file
/// Uncounted launches: a kernel of a reader's own program holds its body twice, and what the
/// rewriter makes of the second runs here, as a loop over the threads of a block, without
/// instrumentation.
///
///     __global__ void k(float* x)
///     {
///         if (::cpu_device::runs_threads()) {
///             ::cpu_device::run_threads<false>([=](...) mutable ... { x[threadIdx.x] *= 2; });
///             return;
///         }
///         x[threadIdx.x] *= 2;
///     }
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/device_limits.hpp"

#if defined(__cpp_impl_coroutine)
#include <coroutine>
#endif
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <type_traits>

// What no accesses are told of, with all that is inlined into it; `noinline` keeps it apart from
// the kernel, where they are. That loops over threads are vectorised takes -O3; none of these
// flags changes what is computed.
#if defined(__clang__)
#define CPU_DEVICE_NOT_INSTRUMENTED __attribute__((noinline, no_sanitize("thread")))
#else
#define CPU_DEVICE_NOT_INSTRUMENTED                                                                \
    __attribute__((noinline, noclone, no_sanitize("thread"),                                       \
                   optimize("O3", "no-math-errno", "no-trapping-math")))
#endif

// The executor's variables, which are constants elsewhere (builtins.hpp).
extern "C" {
extern __thread unsigned cpu_device_thread_index_x, cpu_device_thread_index_y,
    cpu_device_thread_index_z;
}

namespace cpu_device {

/// A parameter of a kernel's second version, by which the engine knows its `__shared__` variables:
/// their symbols have this name in theirs.
enum class SecondVersion
{
};

/// Not 0 while a kernel is to be asked whether it can run a loop over threads. A constant to the
/// kernel, as the built-in variables are.
struct LoopWanted
{
    static __thread const unsigned value __asm__("cpu_device_loop_wanted");
};

/// True if the kernel that asks is to run threads in a loop.
[[gnu::always_inline]] inline bool runs_threads()
{
    return LoopWanted::value != 0 && begin_loop(__builtin_return_address(0));
}

/// Sets threadIdx for the functions that a kernel calls.
[[gnu::always_inline]] inline void set_thread_index(unsigned x, unsigned y, unsigned z)
{
    cpu_device_thread_index_x = x;
    cpu_device_thread_index_y = y;
    cpu_device_thread_index_z = z;
}

template<class Thread>
CPU_DEVICE_NOT_INSTRUMENTED void run_thread_alone(Thread& thread, const uint3& index,
                                                  const uint3& block_index, const dim3& block,
                                                  const dim3& grid)
{
    thread(index, block_index, block, grid, SecondVersion());
}

/// Runs one thread. Where other functions read threadIdx, too, that is a call, because a compiler
/// takes it for a constant of the function that it compiles.
template<bool sets_index, class Thread>
[[gnu::always_inline]] inline void run_one(Thread& thread, const uint3& index,
                                           const uint3& block_index, const dim3& block,
                                           const dim3& grid)
{
    if constexpr (sets_index) {
        set_thread_index(index.x, index.y, index.z);
        run_thread_alone(thread, index, block_index, block, grid);
    } else {
        thread(index, block_index, block, grid, SecondVersion());
    }
}

/// Runs `thread`, a CPU_DEVICE_THREAD, for the threads that the executor wants run, until one of
/// them has to wait. Everything that the loop needs is local, so that compilers can vectorise it.
/// `sets_index`: other functions read threadIdx, too.
template<bool sets_index, class Thread>
CPU_DEVICE_NOT_INSTRUMENTED void run_threads(const Thread& thread)
{
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
            const uint3 index(number - first, y, z);
            threads.current = number;
            if constexpr (std::is_trivially_copyable_v<Thread>) {
                Thread own = thread;
                run_one<sets_index>(own, index, block_index, block, grid);
            } else { // as in CUDA, the bits of the arguments
                alignas(Thread) std::byte bits[sizeof(Thread)];
                std::memcpy(bits, static_cast<const void*>(&thread), sizeof bits);
                run_one<sets_index>(reinterpret_cast<Thread&>(bits), index, block_index, block,
                                    grid);
            }
            if (threads.interrupted)
                return;
        }
    }
}

#if defined(__cpp_impl_coroutine)
/// A thread of a kernel that waits for its block at `__syncthreads()` and nowhere else: a
/// coroutine. Its functions are those that compilers call, all inlined, because others would be
/// instrumented.
struct ThreadInPhases
{
    /// The barrier: the threads behind this one come to it first.
    struct Barrier
    {
        [[gnu::always_inline]] bool await_ready() noexcept { return false; }
        template<class Handle>
        [[gnu::always_inline]] void await_suspend(Handle) noexcept
        {}
        [[gnu::always_inline]] void await_resume() noexcept {}
    };
    struct Begin : Barrier
    {
        [[gnu::always_inline]] bool await_ready() noexcept { return true; }
    };
    struct promise_type
    {
        [[gnu::always_inline]] promise_type() {}
        [[gnu::always_inline]] static void* operator new(std::size_t bytes)
        {
            return take_frame(bytes);
        }
        // All at once, behind the block.
        [[gnu::always_inline]] static void operator delete(void*, std::size_t) {}
        [[gnu::always_inline]] ThreadInPhases get_return_object()
        {
            return {
                __builtin_coro_promise(reinterpret_cast<char*>(this), alignof(promise_type), true)};
        }
        [[gnu::always_inline]] Begin initial_suspend() noexcept { return {}; }
        [[gnu::always_inline]] Barrier final_suspend() noexcept { return {}; }
        [[gnu::always_inline]] void return_void() {}
        [[gnu::always_inline]] void unhandled_exception() { std::terminate(); }
    };
    void* frame;
};

/// Runs `thread`, a CPU_DEVICE_THREAD_IN_PHASES, for all threads of the block, each up to its next
/// barrier before any goes on.
template<bool sets_index, class Thread>
CPU_DEVICE_NOT_INSTRUMENTED void run_phases(const Thread& thread)
{
    FreshThreads threads;
    take_threads(threads);
    threads.in_phases = true;
    const uint3 block_index(BlockIndex::x, BlockIndex::y, BlockIndex::z);
    const dim3 block(BlockDimensions::x, BlockDimensions::y, BlockDimensions::z);
    const dim3 grid(GridDimensions::x, GridDimensions::y, GridDimensions::z);
    // As in CUDA, each thread has the bits of the arguments.
    constexpr std::align_val_t alignment{alignof(Thread)};
    auto* const own = static_cast<Thread*>(::operator new(threads.end * sizeof(Thread), alignment));
    // No objects of a class, whose copying would be instrumented.
    void* frames[DeviceLimits::max_threads_per_block];
    unsigned numbers[DeviceLimits::max_threads_per_block];
    unsigned count = 0; // of threads that wait
    for (unsigned number = 0; number < threads.end; ++number) {
        std::memcpy(static_cast<void*>(own + number), static_cast<const void*>(&thread),
                    sizeof thread);
        const unsigned x = number % block.x, row = number / block.x;
        const unsigned y = row % block.y, z = row / block.y;
        threads.current = number;
        if constexpr (sets_index)
            set_thread_index(x, y, z);
        frames[count] =
            own[number](uint3(x, y, z), block_index, block, grid, SecondVersion()).frame;
        numbers[count] = number;
        count += !__builtin_coro_done(frames[count]);
    }
    while (count != 0) {
        unsigned still = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned number = threads.current = numbers[i];
            void* const frame = frames[i];
            if constexpr (sets_index)
                set_thread_index(number % block.x, number / block.x % block.y,
                                 number / block.x / block.y);
            __builtin_coro_resume(frame);
            frames[still] = frame;
            numbers[still] = number;
            still += !__builtin_coro_done(frame);
        }
        count = still;
    }
    ::operator delete(own, alignment);
}
#endif

} // namespace cpu_device
