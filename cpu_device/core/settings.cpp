#include "cpu_device/settings.hpp"

namespace cpu_device {

/// Never destroyed: a program may launch kernels while it ends.
Settings& settings()
{
    static Settings& instance = *new Settings;
    return instance;
}

} // namespace cpu_device
