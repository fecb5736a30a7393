/// \file
/// The macros of kernels' language: the qualifiers, and what a launch becomes. Nothing else, so
/// that a source whose headers have been preprocessed already can have them alone.
#pragma once
#pragma GCC system_header

#define __HOST_DEFINES_H__ // what helpers of samples request

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

/// A callable that calls the kernel behind the capture. It is not instrumented: the arguments are
/// in memory of the host, which no thread of a real grid reads.
#define CPU_DEVICE_CALL(capture, ...)                                                              \
    [capture](auto&&... launch_arguments) __attribute__((no_sanitize("thread")))                   \
    {                                                                                              \
        __VA_ARGS__(static_cast<decltype(launch_arguments)&&>(launch_arguments)...);               \
    }

/// The kernel in front of its `<<<...>>>`, of whatever kind: a cpu_device::KernelCall. By value,
/// because g++ 12 cannot compile a template's argument that is captured by reference in a lambda of
/// a lambda.
#define CPU_DEVICE_KERNEL(...)                                                                     \
    ::cpu_device::KernelCall(                                                                      \
        #__VA_ARGS__, __FILE__, __LINE__,                                                          \
        [=](auto address_of) -> decltype(address_of(__VA_ARGS__)) {                                \
            return address_of(__VA_ARGS__);                                                        \
        },                                                                                         \
        CPU_DEVICE_CALL(=, __VA_ARGS__))
