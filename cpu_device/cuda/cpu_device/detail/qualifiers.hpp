/// \file
/// The macros of kernels' language: the qualifiers, and what a launch becomes. Nothing else, so
/// that a source whose headers have been preprocessed already can have them alone.
#pragma once
#pragma GCC system_header

#define __HOST_DEFINES_H__ // what helpers of samples ask for

#define __host__
#define __device__
// A kernel stays a function of its own, so that its accesses are not compiled together with those
// of the code that launches it.
#define __global__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
// A section of their own tells the runtime which addresses are managed.
#define __managed__ __attribute__((section("cpu_device_managed")))
// Loads of constant memory have a section of their own: they are not loads of global memory.
#define __constant__ __attribute__((section("cpu_device_constant")))
// A block runs on one thread of the host, whose thread-local variables are the block's own.
#if defined(__clang__)
#define __shared__ static __thread
#else
#define __shared__ __constinit static __thread
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(registers)
#define __grid_constant__

// The body of a kernel, which an uncounted launch runs as a loop over threads; where it is the
// kernel alone that waits, and for nothing but the block, thread after thread from barrier to
// barrier.
#ifdef CPU_DEVICE_UNCOUNTED
#undef __global__
#define __global__ __attribute__((noinline, noclone))
#ifdef CPU_DEVICE_SEVERAL_FILES // a function of another one may ask for threadIdx
#define CPU_DEVICE_SETS_INDEX(here) true
#else
#define CPU_DEVICE_SETS_INDEX(here) here
#endif
#define CPU_DEVICE_PARAMETERS                                                                      \
    const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim
#define CPU_DEVICE_BEGIN_KERNEL                                                                    \
    auto cpu_device_thread = [=](CPU_DEVICE_PARAMETERS) mutable __attribute__((always_inline))     \
    {
#define CPU_DEVICE_END_KERNEL(sets_index)                                                          \
    }                                                                                              \
    ;                                                                                              \
    ::cpu_device::run_threads<CPU_DEVICE_SETS_INDEX(sets_index)>(cpu_device_thread);
#endif
#if defined(CPU_DEVICE_UNCOUNTED) && defined(__cpp_impl_coroutine) &&                              \
    !defined(CPU_DEVICE_SEVERAL_FILES)
#define CPU_DEVICE_BEGIN_PHASES                                                                    \
    auto cpu_device_thread = [=](CPU_DEVICE_PARAMETERS) mutable -> ::cpu_device::ThreadInPhases {
#define CPU_DEVICE_END_PHASES(sets_index)                                                          \
    co_return;                                                                                     \
    }                                                                                              \
    ;                                                                                              \
    ::cpu_device::run_phases<sets_index>(cpu_device_thread);
#define CPU_DEVICE_SYNCTHREADS() co_await ::std::suspend_always()
#define CPU_DEVICE_RETURN co_return
#else
#ifndef CPU_DEVICE_UNCOUNTED
#define CPU_DEVICE_BEGIN_KERNEL
#define CPU_DEVICE_END_KERNEL(sets_index)
#endif
#define CPU_DEVICE_BEGIN_PHASES CPU_DEVICE_BEGIN_KERNEL
#define CPU_DEVICE_END_PHASES(sets_index) CPU_DEVICE_END_KERNEL(sets_index)
#define CPU_DEVICE_SYNCTHREADS() __syncthreads()
#define CPU_DEVICE_RETURN return
#endif

/// A callable that calls the kernel behind the capture. It is not instrumented: the arguments are
/// in memory of the host, which no thread of a real grid reads.
#define CPU_DEVICE_CALL(capture, ...)                                                              \
    [capture](auto&&... launch_arguments) __attribute__((no_sanitize("thread")))                   \
    {                                                                                              \
        __VA_ARGS__(static_cast<decltype(launch_arguments)&&>(launch_arguments)...);               \
    }

/// The kernel in front of its `<<<...>>>`, of whatever kind: a cpu_device::KernelCall.
#define CPU_DEVICE_KERNEL(...)                                                                     \
    ::cpu_device::KernelCall(                                                                      \
        #__VA_ARGS__, __FILE__, __LINE__,                                                          \
        [&](auto address_of) -> decltype(address_of(__VA_ARGS__)) {                                \
            return address_of(__VA_ARGS__);                                                        \
        },                                                                                         \
        CPU_DEVICE_CALL(&, __VA_ARGS__))
