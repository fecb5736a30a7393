/// \file
/// A program's heap is that of the module that runs it: one memory has one heap. In front of every
/// program, which is linked with these in place of the C library's.
#pragma once

#include <cstddef>

#ifndef LINKED // else it is of the same module
#define FORWARDED(Result, name, parameters, arguments)                                             \
    extern "C" __attribute__((import_module("env"), import_name(#name)))                           \
    Result figures_##name parameters;                                                              \
    extern "C" __attribute__((no_sanitize("thread"))) Result name parameters                       \
    {                                                                                              \
        return figures_##name arguments;                                                           \
    }
FORWARDED(void*, malloc, (std::size_t bytes), (bytes))
FORWARDED(void*, calloc, (std::size_t count, std::size_t bytes), (count, bytes))
FORWARDED(void*, realloc, (void* old, std::size_t bytes), (old, bytes))
FORWARDED(void*, aligned_alloc, (std::size_t alignment, std::size_t bytes), (alignment, bytes))
FORWARDED(void, free, (void* memory), (memory))
#undef FORWARDED

extern "C" __attribute__((no_sanitize("thread"))) int
posix_memalign(void** memory, std::size_t alignment, std::size_t bytes)
{
    constexpr int no_memory = 48; // ENOMEM of WASI
    *memory = figures_aligned_alloc(alignment, bytes);
    return *memory == nullptr ? no_memory : 0;
}
#endif
