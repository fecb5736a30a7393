/// \file
/// What `k<<<grid, block>>>(a, n)` becomes: `CPU_DEVICE_KERNEL(k).on(grid, block)(a, n)`.
#pragma once

#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/kernel_arguments.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace cpu_device {

/// The address of a kernel whose name alone says which function is meant. It does not accept an
/// overloaded name, or a template whose arguments the call deduces.
struct AddressOf
{
    // Not by its parameters: of a kernel and a function of the host with one name, g++ would take
    // that one which has none.
    template<class Kernel, class = std::enable_if_t<std::is_function_v<Kernel>>>
    auto operator()(Kernel* kernel) const
    {
        return kernel;
    }
};

/// The same for a variable that points to a kernel; it does not accept the kernel itself.
struct ValueOf
{
    template<class... Parameters>
    const void* operator()(void (*const& kernel)(Parameters...)) const
    {
        return reinterpret_cast<const void*>(kernel);
    }
};

/// The same for one that has exactly these parameters, of which a template's arguments follow.
template<class... Parameters>
struct AddressOfExactly
{
    auto operator()(void (*kernel)(Parameters...)) const { return kernel; }
};

// The launch is by address, because a variable that holds it may be gone when a graph launches the
// kernel.
template<class... Parameters>
void launch_kernel(const Launcher& launcher, void (*kernel)(Parameters...),
                   const SameType<Parameters>&... arguments)
{
    const auto thread = [kernel](const KeptArgument<Parameters>&... kept)
        __attribute__((no_sanitize("thread")))
    {
        call_kernel(kernel, kept...);
    };
    const auto* const function = reinterpret_cast<const void*>(kernel);
    launcher.kernel(thread, function, kernel_signature(function),
                    true)(keep_argument<Parameters>(arguments)...);
}

/// Launches a kernel whose parameters only `call`, of one set of arguments, can tell: each thread
/// makes its own parameters out of them. cudaFree() in their destructors does nothing there.
/// `function` is the kernel if it is known. Of one that is not, an object among the arguments, such
/// as a lambda, or what a pointer leads to tells another kernel; a number does not, because it may
/// be converted.
template<class Call, class... Arguments>
void launch_call(const Launcher& launcher, const void* function, Call call,
                 const Arguments&... arguments)
{
    const auto thread = [call](KeptArgument<Arguments>... own)
        __attribute__((no_sanitize("thread")))
    {
        call(object_of<Arguments>(own)...);
    };
    const char* signature = kernel_signature(function);
    if constexpr ((... || (std::is_class_v<Arguments> || std::is_pointer_v<Arguments>)))
        if (function == nullptr)
            signature = call_signature(launcher.configuration.kernel, typeid(void(Arguments...)));
    launcher.kernel(thread, function, signature)(keep_argument<Arguments>(arguments)...);
}

/// A configured launch that takes its arguments as any function does. `function` is the kernel if
/// it is known.
template<class Resolve, class Call>
class UntypedLaunch
{
  public:
    UntypedLaunch(const Launcher& launcher, Resolve resolve, Call call,
                  const void* function = nullptr)
        : launcher_(launcher), resolve_(resolve), call_(call), function_(function)
    {}

    template<class... Arguments>
    void operator()(Arguments... arguments)
    {
        launch(arguments...);
    }

  protected:
    template<class... Arguments>
    void launch(const Arguments&... arguments)
    {
        if constexpr (std::is_invocable_v<Resolve, AddressOfExactly<Arguments...>>)
            launch_kernel(launcher_, resolve_(AddressOfExactly<Arguments...>()), arguments...);
        else
            launch_call(launcher_, function_, call_, arguments...);
    }

    Launcher launcher_;

  private:
    Resolve resolve_;
    Call call_;
    const void* function_;
};

/// A configured launch that takes its arguments as the kernel does: `0` is a null pointer where
/// the kernel has a pointer, `{1, 2}` a struct, and an int becomes a `std::size_t`.
template<class Resolve, class Call, class... Parameters>
class TypedLaunch : private UntypedLaunch<Resolve, Call>
{
    static constexpr std::size_t count = sizeof...(Parameters);

  public:
    TypedLaunch(const Launcher& launcher, Resolve resolve, void (*kernel)(Parameters...), Call call)
        : UntypedLaunch<Resolve, Call>(launcher, resolve, call,
                                       reinterpret_cast<const void*>(kernel)),
          kernel_(kernel)
    {}

    void operator()(Parameters... arguments)
    {
        launch_kernel(this->launcher_, kernel_, arguments...);
    }

    /// Fewer arguments: the kernel's defaults, which its address does not have, supply the rest.
    /// More: those of a template whose parameters they make more.
    template<class... Arguments, class = std::enable_if_t<sizeof...(Arguments) != count>>
    void operator()(Arguments... arguments)
    {
        static_assert(sizeof...(Arguments) < count ||
                          std::is_invocable_v<Resolve, AddressOfExactly<Arguments...>>,
                      "this launch passes more arguments than the kernel has parameters");
        this->launch(arguments...);
    }

  private:
    void (*kernel_)(Parameters...);
};

/// A kernel in front of its `<<<...>>>`: `resolve` passes its name to an AddressOf if that can be
/// called, and `call` calls it with any arguments.
template<class Resolve, class Call>
class KernelCall
{
  public:
    KernelCall(const char* name, const char* file, int line, Resolve resolve, Call call)
        : resolve_(resolve), call_(call)
    {
        configuration_.kernel = name;
        configuration_.file = file;
        configuration_.line = line;
    }

    /// Names the kernel's parameters: "x, n".
    KernelCall& with_parameters(const char* names)
    {
        configuration_.parameters = names;
        return *this;
    }
    /// The launch, waiting for its arguments; the parameters are those of `<<<...>>>`.
    auto on(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t stream = nullptr)
    {
        configuration_.kernel = name();
        configuration_.grid = {grid.x, grid.y, grid.z};
        configuration_.block = {block.x, block.y, block.z};
        configuration_.dynamic_shared_bytes = shared;
        const Launcher launcher{configuration_, stream};
        if constexpr (std::is_invocable_v<Resolve, AddressOf>)
            return TypedLaunch(launcher, resolve_, resolve_(AddressOf()), call_);
        else
            return UntypedLaunch(launcher, resolve_, call_);
    }

  private:
    /// As written, but for a variable, which has the name of the kernel that it points to, and for
    /// a template, whose arguments may be parameters of another one: `copy<T>` is `copy<float>`.
    [[nodiscard]] const char* name() const
    {
        const char* const written = configuration_.kernel;
        if constexpr (std::is_invocable_v<Resolve, ValueOf>)
            return kernel_name(resolve_(ValueOf()), written);
        else if constexpr (std::is_invocable_v<Resolve, AddressOf>)
            return std::strchr(written, '<') == nullptr
                       ? written
                       : kernel_name(reinterpret_cast<const void*>(resolve_(AddressOf())), written);
        else
            return written;
    }

    LaunchConfiguration configuration_;
    Resolve resolve_;
    Call call_;
};

} // namespace cpu_device
