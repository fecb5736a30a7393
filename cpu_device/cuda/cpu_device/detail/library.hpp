/// \file
/// How headers of CUDA's libraries are made: their types, the calls that only manage, and no
/// arithmetic. A call that would compute, `cublasSgemm(...)`, is a macro for a LibraryCall.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/runtime_api.hpp"

namespace cpu_device {

/// A call that succeeds and has nothing to do, whatever it is given.
template<class Status>
struct ManagingCall
{
    template<class... Arguments>
    Status operator()(const Arguments&...) const
    {
        return Status();
    }
};

/// A call that succeeds with a handle that is no null pointer.
template<class Status>
struct CreatingCall
{
    template<class Handle, class... Arguments>
    Status operator()(Handle* handle, const Arguments&...) const
    {
        *handle = (Handle)sizeof(Status);
        return Status();
    }
};

/// Ends the process with status 4, after a sentence that names the call, its line and the library.
[[noreturn]] void refuse_library_call(const char* name, const char* file, int line);

/// A call that would compute. It may stand anywhere, and ends the program where it is made.
template<class Status>
struct LibraryCall
{
    const char* name;
    const char* file;
    int line;
    template<class... Arguments>
    Status operator()(const Arguments&...) const
    {
        refuse_library_call(name, file, line);
    }
};

} // namespace cpu_device
