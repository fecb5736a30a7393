/// \file
/// What `k<<<grid, block>>>(a, n)` becomes: `CPU_DEVICE_KERNEL(k).on(grid, block)(a, n)`.
#pragma once

#include "cpu_device/builtins.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace cpu_device {

/// Parameter types of a kernel.
template<class... Parameters>
struct Signature
{};

/// Tells the signature of a kernel whose name alone says which function is meant. It does not
/// accept an overloaded name, or a template whose arguments the call deduces.
struct DeduceSignature
{
    template<class... Parameters>
    Signature<Parameters...> operator()(void (*)(Parameters...)) const
    {
        return {};
    }
};

/// A configured launch that takes its arguments as the kernel does: `0` is a null pointer where
/// the kernel has a pointer, `{1, 2}` a struct, and an int becomes a `std::size_t`.
template<class Run, class... Parameters>
class TypedLaunch
{
  public:
    explicit TypedLaunch(Run run) : run_(std::move(run)) {}

    void operator()(Parameters... arguments) { run_(std::move(arguments)...); }

    /// Fewer arguments: the kernel's defaults supply the rest.
    template<class... Arguments>
    requires(sizeof...(Arguments) < sizeof...(Parameters)) void operator()(Arguments&&... arguments)
    {
        run_(std::forward<Arguments>(arguments)...);
    }

  private:
    Run run_;
};

/// A kernel in front of its `<<<...>>>`.
template<class SignatureOf, class Body>
class KernelCall
{
  public:
    KernelCall(const char* name, const char* file, int line, SignatureOf signature_of, Body body)
        : name_(name), file_(file), line_(line), signature_of_(signature_of), body_(body)
    {}

    /// The launch, waiting for its arguments; the parameters are those of `<<<...>>>`.
    auto on(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t stream = nullptr)
    {
        auto run = Launcher(name_, file_, line_, grid, block, shared, stream).kernel(body_);
        if constexpr (std::is_invocable_v<SignatureOf, DeduceSignature>) {
            return typed(std::move(run), signature_of_(DeduceSignature()));
        } else {
            return run;
        }
    }

  private:
    template<class Run, class... Parameters>
    static auto typed(Run run, Signature<Parameters...>)
    {
        return TypedLaunch<Run, Parameters...>(std::move(run));
    }

    const char* name_;
    const char* file_;
    int line_;
    SignatureOf signature_of_;
    Body body_;
};

} // namespace cpu_device

/// The kernel call is not instrumented: its arguments live in host memory, which no thread of a
/// real grid reads.
#define CPU_DEVICE_KERNEL(...)                                                                     \
    ::cpu_device::KernelCall(                                                                      \
        #__VA_ARGS__, __FILE__, __LINE__,                                                          \
        [&](auto signature_of) -> decltype(signature_of(__VA_ARGS__)) {                            \
            return signature_of(__VA_ARGS__);                                                      \
        },                                                                                         \
        [&](auto&&... launch_arguments) __attribute__((no_sanitize("thread"))) {                   \
            __VA_ARGS__(static_cast<decltype(launch_arguments)&&>(launch_arguments)...);           \
        })
