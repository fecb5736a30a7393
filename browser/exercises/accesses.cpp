/// \file
/// What a compiled answer calls: before every access, with the number of the call in its assembly
/// (compiler.js), which takes the place of a return address; and what CUDA has built in.
#include "browser/exercises/host.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/tracer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

using cpu_device::Access;

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

std::uintptr_t address_of(const volatile void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

unsigned last = 0; ///< site of an access

void look_at(std::uintptr_t address, std::size_t bytes, Access access)
{
    using namespace cpu_device::host;
    const bool own = address >= answer_begin && address < answer_end;
    if (!own && !can_be_used(address, bytes))
        cpu_device::report_bad_access(address,
                                      access == Access::load ? "reads from " : "writes to ");
}

void note(unsigned site, const volatile void* address, unsigned bytes, Access access)
{
    last = site;
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->record(site, address_of(address), bytes, access);
    look_at(address_of(address), bytes, access);
}

void note_range(unsigned site, const volatile void* address, std::size_t bytes, Access access)
{
    last = site;
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->record_range(site, address_of(address), bytes, access);
    if (bytes != 0)
        look_at(address_of(address), bytes, access);
}

} // namespace

/// The number of the access that was told last: of the one that is a fault.
EXPORT(last_site) unsigned last_site()
{
    return last;
}

#define ACCESSES(bytes)                                                                            \
    EXPORT(__tsan_read##bytes) void figures_read##bytes(void* address, unsigned site)              \
    {                                                                                              \
        note(site, address, bytes, Access::load);                                                  \
    }                                                                                              \
    EXPORT(__tsan_write##bytes) void figures_write##bytes(void* address, unsigned site)            \
    {                                                                                              \
        note(site, address, bytes, Access::store);                                                 \
    }                                                                                              \
    EXPORT(__tsan_unaligned_read##bytes)                                                           \
    void figures_unaligned_read##bytes(void* address, unsigned site)                               \
    {                                                                                              \
        note_range(site, address, bytes, Access::load);                                            \
    }                                                                                              \
    EXPORT(__tsan_unaligned_write##bytes)                                                          \
    void figures_unaligned_write##bytes(void* address, unsigned site)                              \
    {                                                                                              \
        note_range(site, address, bytes, Access::store);                                           \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT(__tsan_memcpy)
void* figures_memcpy(void* to, const void* from, std::size_t bytes, unsigned site)
{
    note_range(site, from, bytes, Access::load);
    note_range(site, to, bytes, Access::store);
    return std::memcpy(to, from, bytes);
}
EXPORT(__tsan_memmove)
void* figures_memmove(void* to, const void* from, std::size_t bytes, unsigned site)
{
    note_range(site, from, bytes, Access::load);
    note_range(site, to, bytes, Access::store);
    return std::memmove(to, from, bytes);
}
EXPORT(__tsan_memset)
void* figures_memset(void* to, int value, std::size_t bytes, unsigned site)
{
    note_range(site, to, bytes, Access::store);
    return std::memset(to, value, bytes);
}
EXPORT(__tsan_init) void figures_init() {}

// What the rewriter has a kernel say of its arrays and loops, as host/accesses.cpp has it.
EXPORT(figures_local_memory)
void* figures_local_memory(void* array, std::size_t bytes, unsigned site)
{
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->note_local_array(site, address_of(array), bytes);
    return array;
}
EXPORT(figures_next_round) void figures_next_round(bool unrolled, unsigned site)
{
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->note_step(site, unrolled ? cpu_device::Step::some_round
                                                             : cpu_device::Step::round);
}
EXPORT(figures_need_loaded) void figures_need_loaded(unsigned site)
{
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->note_step(site, cpu_device::Step::need);
}
EXPORT(figures_loads_pass_stores) void figures_loads_pass_stores(unsigned site)
{
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->note_step(site, cpu_device::Step::unaliased);
}

#define BUILTIN(name)                                                                              \
    extern "C" __thread unsigned cpu_device_##name##_x, cpu_device_##name##_y,                     \
        cpu_device_##name##_z;                                                                     \
    EXPORT(figures_##name) unsigned figures_##name(unsigned which)                                 \
    {                                                                                              \
        return which == 0   ? cpu_device_##name##_x                                                \
               : which == 1 ? cpu_device_##name##_y                                                \
                            : cpu_device_##name##_z;                                               \
    }
BUILTIN(thread_index)
BUILTIN(block_index)
BUILTIN(block_dimensions)
BUILTIN(grid_dimensions)
