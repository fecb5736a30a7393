/// \file
/// What CUDA adds to C++ inside kernels: barriers, and the object that a `<<<...>>>` launch
/// becomes.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/built_in_variables.hpp"
#include "cpu_device/detail/engine.hpp"
#include "cpu_device/detail/function.hpp"
#include "cpu_device/detail/qualifiers.hpp"
#include "cpu_device/detail/runtime_types.hpp"
#include "cpu_device/detail/shift.hpp"
#include "cpu_device/detail/vector_types.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

// --- barriers -------------------------------------------------------------------------------

CPU_DEVICE_FUNCTION(void, __syncthreads, (CPU_DEVICE_WHERE),
                    static_cast<void>(cpu_device::barrier(false, where)))
CPU_DEVICE_FUNCTION(int, __syncthreads_count, (int predicate, CPU_DEVICE_WHERE),
                    cpu_device::barrier(predicate != 0, where))
CPU_DEVICE_FUNCTION(int, __syncthreads_or, (int predicate, CPU_DEVICE_WHERE),
                    cpu_device::barrier(predicate != 0, where) != 0)
CPU_DEVICE_FUNCTION(int, __syncthreads_and, (int predicate, CPU_DEVICE_WHERE),
                    cpu_device::barrier(predicate == 0, where) == 0)
CPU_DEVICE_FUNCTION(void, __syncwarp, (unsigned mask = 0xFFFFFFFFu, CPU_DEVICE_WHERE),
                    static_cast<void>(cpu_device::warp_exchange(mask, 0, where)))

// --- launches -------------------------------------------------------------------------------

namespace cpu_device {

/// Runs `work` when `stream` comes to it: now, or, while the stream is being captured, at every
/// launch of the graph. The one place that decides when queued work runs: with the stream's device
/// as the current one. cudaErrorInvalidResourceHandle without that stream. The runtime API defines
/// it.
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> work);

template<class T>
inline constexpr bool is_std_array = false;
template<class T, std::size_t size>
inline constexpr bool is_std_array<std::array<T, size>> = true;

/// What the rewriter gives an array's name to: `float x[8]` becomes `float local_memory_x[8]; auto&
/// x = local_array(local_memory_x);`, and likewise with a class that has an index. Of a pointer to
/// other memory nothing is to be told, and what a class's index means is not known but of
/// std::array.
template<bool surely = false, class Array>
__attribute__((always_inline)) inline Array& local_array(Array& array)
{
    if constexpr (std::is_array_v<Array>)
        return *static_cast<Array*>(local_memory(&array, sizeof array, surely));
    else if constexpr (std::is_class_v<Array>)
        return *static_cast<Array*>(
            local_memory(&array, sizeof array, surely && is_std_array<Array>));
    else
        return array;
}

/// What the rewriter gives the step of a loop to: the loads of the next round wait for those of
/// this one if no compiler can know it. Where index and step are signed and can therefore not
/// overflow, nvcc counts the rounds before the loop and unrolls it: by its PTX for `i += step` with
/// int, and neither with unsigned, so not with blockDim.x, nor with std::size_t.
template<class Index, class Step>
__attribute__((always_inline)) inline Step run_time_step(Step step)
{
    constexpr bool unrolled =
        std::is_signed_v<std::remove_reference_t<Index>> && std::is_signed_v<Step>;
    if (!unrolled && !__builtin_constant_p(step))
        next_round();
    return step;
}

/// What the rewriter gives the step of a loop to behind `#pragma unroll 1`: the loads of the next
/// round wait for those of this one.
template<class Step>
__attribute__((always_inline)) inline Step rolled_step(Step step)
{
    next_round();
    return step;
}

/// What the rewriter gives an index to that is an element of an array: what it leads to waits for
/// it.
template<class Element>
__attribute__((always_inline)) constexpr Element loaded_index(Element element)
{
    if (!__builtin_is_constant_evaluated())
        need_loaded();
    return element;
}

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

/// True of an argument that the host may change behind the back of a launch: one of a reference.
template<class Argument>
inline constexpr bool refers_to_host = false;
template<class Object>
inline constexpr bool refers_to_host<std::reference_wrapper<Object>> = true;

/// An argument, if it is a whole number.
template<class Argument>
constexpr WholeNumber whole_number([[maybe_unused]] const Argument& argument)
{
    if constexpr (std::is_integral_v<Argument> || std::is_enum_v<Argument>)
        return {true, static_cast<long long>(argument)};
    else
        return {};
}

/// The execution configuration of one launch: what stands between `<<<` and `>>>`.
struct Launcher
{
    LaunchConfiguration configuration;
    cudaStream_t stream = nullptr;

    /// A callable that takes the kernel's arguments, copies them once, as a launch does, and calls
    /// `body` with them for every thread of the grid. Launch errors go to cudaGetLastError().
    /// `function`, `signature` and `by_address` as in LaunchConfiguration.
    template<class Body>
    [[nodiscard]] auto kernel(Body body, const void* function, const char* signature,
                              bool by_address = false) const
    {
        Launcher launcher = *this;
        launcher.configuration.function = function;
        launcher.configuration.signature = signature;
        launcher.configuration.by_address = by_address;
        return [launcher, body]<class... Arguments>(Arguments... arguments) {
            // Not instrumented: the arguments of a kernel are in constant memory on a GPU.
            auto thread =
                [ body, ... copies = std::move(arguments) ]() __attribute__((no_sanitize("thread")))
            {
                body(copies...);
            };
            using Thread = decltype(thread);
            LaunchConfiguration own = launcher.configuration;
            // Each by itself: what lies between them in `thread` is anything.
            std::array<std::byte, (std::size_t{0} + ... + sizeof(Arguments))> bytes{};
            if constexpr (std::is_trivially_copyable_v<Thread> &&
                          !(... || refers_to_host<Arguments>)) {
                own.context_bytes = sizeof(Thread);
                [[maybe_unused]] std::byte* end = bytes.data();
                (..., (std::memcpy(end, std::addressof(arguments), sizeof(Arguments)),
                       end += sizeof(Arguments)));
            }
            const std::array<WholeNumber, sizeof...(Arguments)> numbers{whole_number(arguments)...};
            auto work = [own, thread, bytes, numbers]() mutable {
                own.arguments = bytes.data();
                own.argument_bytes = bytes.size();
                own.numbers = numbers.data();
                own.number_count = numbers.size();
                set_launch_error(launch(own, run_thread<Thread>, &thread));
            };
            in_stream(launcher.stream, cudaGraphNodeTypeKernel, std::move(work));
        };
    }
};

} // namespace cpu_device
