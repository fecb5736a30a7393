/// \file
/// malloc(), free(), new and delete: the heap of the device where a kernel calls them.
#include "core/arena.hpp"
#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "cpu_device/detail/device_functions.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

namespace cpu_device {

void* allocate_for_caller(std::size_t bytes)
{
    if (!in_kernel())
        return std::malloc(bytes);
    const Untraced untraced;
    return arena().allocate_on_heap(bytes);
}

void free_for_caller(void* pointer)
{
    if (pointer == nullptr)
        return;
    if (!in_kernel() && !arena().contains(reinterpret_cast<std::uintptr_t>(pointer)))
        return std::free(pointer);
    const Untraced untraced;
    const auto place = [=] { return describe_address(reinterpret_cast<std::uintptr_t>(pointer)); };
    if (!in_kernel())
        fault("The host frees device memory, " + place() +
              ": memory that a kernel allocates with malloc() or new, a kernel must free.");
    if (!arena().release_on_heap(pointer))
        fault("frees " + place() +
              ": free() and delete accept only pointers from malloc() or new in a kernel, once.");
}

} // namespace cpu_device

// A kernel's `new` is told by the tracer: what the engine does for a kernel is not traced. The
// library's operators for arrays call these.

void* operator new(std::size_t bytes)
{
    void* const pointer = cpu_device::current_tracer != nullptr
                              ? cpu_device::allocate_for_caller(bytes)
                              : std::malloc(bytes == 0 ? 1 : bytes);
    // A kernel's gives null, as on a GPU.
    if (pointer == nullptr && cpu_device::current_tracer == nullptr)
        throw std::bad_alloc();
    return pointer;
}

void operator delete(void* pointer) noexcept
{
    if (cpu_device::current_tracer != nullptr ||
        cpu_device::arena().contains(reinterpret_cast<std::uintptr_t>(pointer)))
        cpu_device::free_for_caller(pointer);
    else
        std::free(pointer);
}

void operator delete(void* pointer, std::size_t) noexcept
{
    operator delete(pointer);
}
