/// \file
/// How the arguments of a launch reach the kernel: as in CUDA, the host copies each one once, for
/// the launch, and destroys that copy; the threads of the grid see its bits, and neither construct
/// nor destroy anything.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

namespace cpu_device {

/// True where a function takes its `Parameter` by value. Every C++ ABI for Linux passes the address
/// of an object instead where a copy constructor, a move constructor or the destructor does
/// something, and leaves the destructor to the caller.
template<class Parameter>
inline constexpr bool passed_by_value =
    std::is_trivially_destructible_v<Parameter>&& std::is_copy_constructible_v<Parameter> ==
    std::is_trivially_copy_constructible_v<Parameter>&& std::is_move_constructible_v<Parameter> ==
    std::is_trivially_move_constructible_v<Parameter>;

/// The bits of an object, to copy without its copy constructor.
template<class Object>
struct alignas(Object) Bits
{
    std::byte bytes[sizeof(Object)];
};

/// What a launch keeps of an argument; of a reference, as CUDA does, what it refers to.
template<class Parameter>
using KeptArgument =
    std::conditional_t<std::is_reference_v<Parameter>,
                       std::reference_wrapper<std::remove_reference_t<Parameter>>,
                       std::conditional_t<passed_by_value<Parameter>, Parameter, Bits<Parameter>>>;

/// A parameter that no argument deduces.
template<class Type>
struct SameTypeAs
{
    using type = Type;
};
template<class Type>
using SameType = typename SameTypeAs<Type>::type;

template<class Parameter>
KeptArgument<Parameter> keep_argument(const SameType<Parameter>& argument)
{
    if constexpr (passed_by_value<Parameter>) {
        return argument;
    } else {
        Bits<Parameter> bits;
        std::memcpy(&bits, static_cast<const void*>(&argument), sizeof bits);
        return bits;
    }
}

/// The object of which `kept` holds the bits.
template<class Argument>
Argument& object_of(KeptArgument<Argument>& kept)
{
    return reinterpret_cast<Argument&>(kept);
}

/// Calls `kernel` in one thread, whose `own` copies of the arguments these are. It is not
/// instrumented: the arguments of a kernel are in constant memory on a GPU.
template<class... Parameters>
__attribute__((no_sanitize("thread"))) inline void call_kernel(void (*kernel)(Parameters...),
                                                               KeptArgument<Parameters>... own)
{
    // The same call without a cast where there is nothing but values.
    if constexpr ((... && passed_by_value<Parameters>)) {
        kernel(own...);
    } else {
        using Kernel = void (*)(
            std::conditional_t<passed_by_value<Parameters>, Parameters, Bits<Parameters>&>...);
        reinterpret_cast<Kernel>(reinterpret_cast<void*>(kernel))(own...);
    }
}

} // namespace cpu_device
