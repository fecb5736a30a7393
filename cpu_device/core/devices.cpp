#include "core/devices.hpp"

#include "core/immortal.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/settings.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

namespace cpu_device {

namespace {

constinit DeviceLimits limits_in_force;
thread_local int device_of_thread = 0;
/// 0 as long as nobody has set it.
std::atomic<int> count_set = 0;
/// The highest device that a thread has gone to.
std::atomic<int> highest_used = 0;
std::array<std::array<std::atomic<bool>, max_devices>, max_devices> access_enabled{};

} // namespace

constinit const DeviceLimits& device_limits = limits_in_force;

void set_device_limits(const DeviceLimits& limits)
{
    limits_in_force = limits;
}

Settings& settings()
{
    return immortal<Settings>();
}

int device_count()
{
    const int set = count_set;
    return set != 0 ? set : settings().devices;
}

void set_device_count(int count)
{
    if (count < 1 || count > max_devices)
        throw std::invalid_argument("The number of devices is " + std::to_string(count) +
                                    "; it must be a whole number from 1 to " +
                                    std::to_string(max_devices) + ".");
    if (count <= highest_used)
        throw std::invalid_argument(
            "The number of devices cannot be set to " + std::to_string(count) + ": device " +
            std::to_string(highest_used) +
            " has already been used. Set it before the first call of cudaSetDevice().");
    count_set = count;
}

int current_device()
{
    return device_of_thread;
}

void set_current_device(int device)
{
    device_of_thread = device;
    int highest = highest_used;
    while (highest < device && !highest_used.compare_exchange_weak(highest, device)) {
    }
}

bool has_access(int device, int owner)
{
    return device == owner ||
           access_enabled[static_cast<std::size_t>(device)][static_cast<std::size_t>(owner)];
}

bool set_peer_access(int device, int peer, bool enabled)
{
    return access_enabled[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)]
        .exchange(enabled);
}

} // namespace cpu_device
