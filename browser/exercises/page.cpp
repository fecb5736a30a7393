#include "browser/exercises/page.hpp"

#include "browser/exercises/host.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

std::string page::text;
std::size_t page::output_columns = 100;

// --- what common has of a terminal ---------------------------------------------------------------

namespace common {

std::size_t output_width()
{
    return page::output_columns;
}
void end_program(int status, const std::string& message)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    std::_Exit(status);
}

} // namespace common

// The C++ library for WebAssembly comes without exceptions: whoever throws ends what runs.
EXPORT(__cxa_allocate_exception) void* __cxa_allocate_exception(std::size_t bytes)
{
    return std::malloc(bytes);
}
EXPORT(__cxa_throw) void __cxa_throw(void* object, std::type_info* type, void (*)(void*))
{
    const bool stop = std::string_view(type->name()).find("Stop") != std::string_view::npos;
    page_thrown(stop ? nullptr : static_cast<const std::exception*>(object)->what());
    std::abort();
}

/// That of this C++ library returns null where memory is short, and what is written there would be
/// the engine's own.
void* operator new(std::size_t bytes)
{
    void* const memory = std::malloc(bytes);
    if (memory == nullptr)
        page_thrown("this browser has no memory left for its requests: is a loop endless?");
    return memory;
}

/// Room for a text of so many bytes.
EXPORT(room) char* room(std::size_t bytes)
{
    page::text.assign(bytes, '\0');
    return page::text.data();
}

/// Takes what the room says of the program that the calls below are about.
EXPORT(describe) void describe()
{
    cpu_device::host::describe_program(page::text.c_str());
}
