/// \file
/// Objects that live as long as the process.
#pragma once

namespace cpu_device {

/// The one object of a type. Never destroyed: programs call the runtime, threads of the host run on
/// and reports are made while static objects are destroyed.
template<class T>
T& immortal()
{
    static T& instance = *new T;
    return instance;
}

} // namespace cpu_device
