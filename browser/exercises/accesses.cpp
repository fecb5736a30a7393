/// \file
/// What a compiled program calls: before every access, with the number of the call in its assembly
/// (answer.js), which takes the place of a return address; and what CUDA has built in.
#include "browser/exercises/host.hpp"
#include "browser/exercises/page.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/tracer.hpp"
#include "cpu_device/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using cpu_device::Access;

extern "C" {
const void* figures_call_site = nullptr; ///< of missing.hpp
}

namespace {

std::uintptr_t address_of(const volatile void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

unsigned last = 0; ///< site of an access or a call

void look_at(std::uintptr_t address, std::size_t bytes, Access access)
{
    if (cpu_device::host::can_be_used(address, bytes))
        return;
    const char* const verb = access == Access::load ? "reads from " : "writes to ";
    cpu_device::report_bad_access(address, verb);
    // A mistake of the host's own, which a processor would stop.
    if (!cpu_device::settings().watchful)
        std::fprintf(stderr, "Host code %s%s, where the program has no memory.\n", verb,
                     cpu_device::hexadecimal(address).c_str());
    std::_Exit(cpu_device::fault_status);
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

/// The number that was told last: of what is a fault.
EXPORT(last_site) unsigned last_site()
{
    return last;
}

#define ACCESS(name, bytes, note, access)                                                          \
    EXPORT(__tsan_##name##bytes) void figures_##name##bytes(void* address, unsigned site)          \
    {                                                                                              \
        note(site, address, bytes, Access::access);                                                \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(read, bytes, note, load)                                                                \
    ACCESS(write, bytes, note, store)                                                              \
    ACCESS(unaligned_read, bytes, note_range, load)                                                \
    ACCESS(unaligned_write, bytes, note_range, store)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define COPY(copy)                                                                                 \
    EXPORT(__tsan_##copy)                                                                          \
    void* figures_##copy(void* to, const void* from, std::size_t bytes, unsigned site)             \
    {                                                                                              \
        note_range(site, from, bytes, Access::load);                                               \
        note_range(site, to, bytes, Access::store);                                                \
        return std::copy(to, from, bytes);                                                         \
    }
COPY(memcpy)
COPY(memmove)
EXPORT(__tsan_memset)
void* figures_memset(void* to, int value, std::size_t bytes, unsigned site)
{
    note_range(site, to, bytes, Access::store);
    return std::memset(to, value, bytes);
}
// Of the host's own: a kernel's go by atomicAdd() and its like.
EXPORT(__tsan_atomic32_fetch_or)
std::uint32_t figures_fetch_or(std::uint32_t* address, std::uint32_t value, int, unsigned site)
{
    note(site, address, sizeof *address, Access::atomic);
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
}
EXPORT(__tsan_init) void figures_init() {}
// Pointers to tables of virtual functions, which host code alone has.
EXPORT(__tsan_vptr_update) void figures_vptr_update(void*, void*, unsigned) {}
EXPORT(__tsan_vptr_read) void figures_vptr_read(void*, unsigned) {}

/// Called before each call of the CPU device and of the runtime: the number takes the place of the
/// address that such a call returns to.
EXPORT(figures_at) void figures_at(unsigned site)
{
    last = site;
    figures_call_site = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(site));
}

// What the rewriter has a kernel say of its arrays and loops, as host/accesses.cpp has it.
namespace cpu_device {

void* local_memory(volatile void* array, std::size_t bytes, bool surely)
{
    if (current_tracer != nullptr)
        current_tracer->note_local_array(address_of(figures_call_site), address_of(array), bytes,
                                         surely);
    return const_cast<void*>(array);
}
void next_round()
{
    note_step(Step::round, figures_call_site);
}
void need_loaded()
{
    note_step(Step::need, figures_call_site);
}
void loads_pass_stores()
{
    note_step(Step::unaliased, figures_call_site);
}

} // namespace cpu_device

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
