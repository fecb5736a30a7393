/// \file
/// What `k<<<grid, block>>>(a, n)` becomes: `CPU_DEVICE_KERNEL(k).on(grid, block)(a, n)`.
#pragma once

#include "cpu_device/builtins.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

/// A callable that calls the kernel behind the capture. It is not instrumented: the arguments are
/// in memory of the host, which no thread of a real grid reads.
#define CPU_DEVICE_CALL(capture, ...)                                                              \
    [capture](auto&&... launch_arguments) __attribute__((no_sanitize("thread")))                   \
    {                                                                                              \
        __VA_ARGS__(static_cast<decltype(launch_arguments)&&>(launch_arguments)...);               \
    }

namespace cpu_device {

/// The address of a kernel whose name alone says which function is meant. It does not accept an
/// overloaded name, or a template whose arguments the call deduces.
struct AddressOf
{
    template<class... Parameters>
    auto operator()(void (*kernel)(Parameters...)) const
    {
        return kernel;
    }
};

/// A configured launch that takes its arguments as the kernel does: `0` is a null pointer where
/// the kernel has a pointer, `{1, 2}` a struct, and an int becomes a `std::size_t`.
template<class Call, class... Parameters>
class TypedLaunch
{
    static constexpr std::size_t count = sizeof...(Parameters);

  public:
    TypedLaunch(const Launcher& launcher, void (*kernel)(Parameters...), Call call)
        : launcher_(launcher), kernel_(kernel), call_(call)
    {}

    // By address, because a variable that holds it may be gone when a graph launches the kernel.
    void operator()(Parameters... arguments)
    {
        launcher_.kernel(CPU_DEVICE_CALL(kernel = kernel_, kernel))(std::move(arguments)...);
    }

    /// Fewer arguments: the kernel's defaults, which its address does not have, supply the rest.
    template<class... Arguments>
    void operator()(Arguments&&... arguments) requires(sizeof...(Arguments) != count)
    {
        static_assert(sizeof...(Arguments) < count,
                      "this launch passes more arguments than the kernel has parameters");
        launcher_.kernel(call_)(std::forward<Arguments>(arguments)...);
    }

  private:
    Launcher launcher_;
    void (*kernel_)(Parameters...);
    Call call_;
};

/// A kernel in front of its `<<<...>>>`: `resolve` passes its name to an AddressOf if that can be
/// called, and `call` calls it with any arguments.
template<class Resolve, class Call>
class KernelCall
{
  public:
    KernelCall(const char* name, const char* file, int line, Resolve resolve, Call call)
        : name_(name), file_(file), line_(line), resolve_(resolve), call_(call)
    {}

    /// The launch, waiting for its arguments; the parameters are those of `<<<...>>>`.
    auto on(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t stream = nullptr)
    {
        const Launcher launcher(name_, file_, line_, grid, block, shared, stream);
        if constexpr (std::is_invocable_v<Resolve, AddressOf>) {
            return TypedLaunch(launcher, resolve_(AddressOf()), call_);
        } else {
            return launcher.kernel(call_);
        }
    }

  private:
    const char* name_;
    const char* file_;
    int line_;
    Resolve resolve_;
    Call call_;
};

} // namespace cpu_device

#define CPU_DEVICE_KERNEL(...)                                                                     \
    ::cpu_device::KernelCall(                                                                      \
        #__VA_ARGS__, __FILE__, __LINE__,                                                          \
        [&](auto address_of) -> decltype(address_of(__VA_ARGS__)) {                                \
            return address_of(__VA_ARGS__);                                                        \
        },                                                                                         \
        CPU_DEVICE_CALL(&, __VA_ARGS__))
