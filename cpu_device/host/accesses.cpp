/// \file
/// What a compiled kernel calls, told apart by the address that the call returns to.
///
/// -fsanitize=thread makes a compiler call most of these functions before every access.
/// ThreadSanitizer's own run-time library is not linked: these take its place and hand the accesses
/// of kernels to the tracer. In host code they do nothing.

#include "core/executor.hpp"
#include "core/tracer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

using cpu_device::Access;

namespace {

using cpu_device::Tracer;

[[gnu::always_inline]] inline void note(const void* pc, const volatile void* address,
                                        unsigned bytes, Access access)
{
    if (Tracer* const tracer = cpu_device::current_tracer; tracer != nullptr)
        tracer->record(reinterpret_cast<std::uintptr_t>(pc),
                       reinterpret_cast<std::uintptr_t>(address), bytes, access);
}

void note_range(const void* pc, const volatile void* address, std::size_t bytes, Access access)
{
    if (cpu_device::current_tracer != nullptr)
        cpu_device::current_tracer->record_range(reinterpret_cast<std::uintptr_t>(pc),
                                                 reinterpret_cast<std::uintptr_t>(address), bytes,
                                                 access);
}

/// Before a volatile access of a kernel.
void in_step(const void* pc, const volatile void* address, bool writes)
{
    if (cpu_device::current_tracer == nullptr)
        return;
    cpu_device::current_worker->step(reinterpret_cast<std::uintptr_t>(pc),
                                     reinterpret_cast<std::uintptr_t>(address), writes);
    cpu_device::current_tracer->note_volatile();
}

} // namespace

#define PC __builtin_return_address(0)

namespace cpu_device {

void* local_memory(volatile void* array, std::size_t bytes, bool surely)
{
    if (current_tracer != nullptr)
        current_tracer->note_local_array(reinterpret_cast<std::uintptr_t>(PC),
                                         reinterpret_cast<std::uintptr_t>(array), bytes, surely);
    return const_cast<void*>(array);
}

void next_round()
{
    note_step(Step::round, PC);
}

void need_loaded()
{
    note_step(Step::need, PC);
}

void loads_pass_stores()
{
    note_step(Step::unaliased, PC);
}

} // namespace cpu_device

#define CALLBACK(name, ...)                                                                        \
    void __tsan_##name(void* address)                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define CALLBACKS(prefix, bytes, note)                                                             \
    CALLBACK(prefix##read##bytes, note(PC, address, bytes, Access::load))                          \
    CALLBACK(prefix##write##bytes, note(PC, address, bytes, Access::store))                        \
    CALLBACK(prefix##volatile_read##bytes, in_step(PC, address, false);                            \
             note(PC, address, bytes, Access::load))                                               \
    CALLBACK(prefix##volatile_write##bytes, in_step(PC, address, true);                            \
             note(PC, address, bytes, Access::store))                                              \
    CALLBACK(prefix##read_write##bytes, note(PC, address, bytes, Access::load);                    \
             note(PC, address, bytes, Access::store))
#define CALLBACKS_OF_SIZE(bytes)                                                                   \
    CALLBACKS(, bytes, note)                                                                       \
    CALLBACKS(unaligned_, bytes, note_range)

#define ATOMIC_UPDATE(bits, T, name)                                                               \
    T __tsan_atomic##bits##_##name(volatile T* address, T value, int)                              \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::atomic);                                              \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                  \
    }

#define ATOMIC_COMPARE(bits, T, kind)                                                              \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile T* address, T* expected, T value,   \
                                                      int, int)                                    \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::atomic);                                              \
        return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,      \
                                           __ATOMIC_SEQ_CST);                                      \
    }

// In a GPU's instructions an atomic load or store is a load or a store. The memory order requested
// is never stronger than the one used here.
#define ATOMIC_CALLBACKS(bits, T)                                                                  \
    T __tsan_atomic##bits##_load(const volatile T* address, int)                                   \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::load);                                                \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int)                            \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::store);                                               \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int)                            \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::atomic);                                              \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    ATOMIC_UPDATE(bits, T, fetch_add)                                                              \
    ATOMIC_UPDATE(bits, T, fetch_sub)                                                              \
    ATOMIC_UPDATE(bits, T, fetch_and)                                                              \
    ATOMIC_UPDATE(bits, T, fetch_or)                                                               \
    ATOMIC_UPDATE(bits, T, fetch_xor)                                                              \
    ATOMIC_UPDATE(bits, T, fetch_nand)                                                             \
    ATOMIC_COMPARE(bits, T, strong)                                                                \
    ATOMIC_COMPARE(bits, T, weak)                                                                  \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T value, int,    \
                                                 int)                                              \
    {                                                                                              \
        note(PC, address, sizeof(T), Access::atomic);                                              \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,            \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }

extern "C" {

CALLBACKS_OF_SIZE(1)
CALLBACKS_OF_SIZE(2)
CALLBACKS_OF_SIZE(4)
CALLBACKS_OF_SIZE(8)
CALLBACKS_OF_SIZE(16)

ATOMIC_CALLBACKS(8, std::uint8_t)
ATOMIC_CALLBACKS(16, std::uint16_t)
ATOMIC_CALLBACKS(32, std::uint32_t)
ATOMIC_CALLBACKS(64, std::uint64_t)

void __tsan_read_range(void* address, std::size_t bytes)
{
    note_range(PC, address, bytes, Access::load);
}

void __tsan_write_range(void* address, std::size_t bytes)
{
    note_range(PC, address, bytes, Access::store);
}

void __tsan_vptr_read(void** address)
{
    note(PC, address, sizeof *address, Access::load);
}

void __tsan_vptr_update(void** address, void*)
{
    note(PC, address, sizeof *address, Access::store);
}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes)
{
    note_range(PC, from, bytes, Access::load);
    note_range(PC, to, bytes, Access::store);
    return std::memcpy(to, from, bytes);
}

void* __tsan_memmove(void* to, const void* from, std::size_t bytes)
{
    note_range(PC, from, bytes, Access::load);
    note_range(PC, to, bytes, Access::store);
    return std::memmove(to, from, bytes);
}

void* __tsan_memset(void* to, int value, std::size_t bytes)
{
    note_range(PC, to, bytes, Access::store);
    return std::memset(to, value, bytes);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
}
