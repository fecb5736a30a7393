#include "cpu_device/device_limits.hpp"

namespace cpu_device {

namespace {

constinit DeviceLimits in_force;

} // namespace

constinit const DeviceLimits& device_limits = in_force;

void set_device_limits(const DeviceLimits& limits)
{
    in_force = limits;
}

} // namespace cpu_device
