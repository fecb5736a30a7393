#include "common/device/device.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/operation.hpp>

namespace common {

Backend backend()
{
    return Backend::cpu;
}

void begin_counting()
{
    cpu_device::forget_launches();
    cpu_device::begin_recording();
}

void sample_launches()
{
    cpu_device::set_detail(cpu_device::Detail::sample);
}

void simulate_caches(bool on)
{
    cpu_device::set_detail(on ? cpu_device::Detail::traffic : cpu_device::Detail::counts);
}

std::vector<LaunchRecord> end_counting()
{
    return cpu_device::launches();
}

std::vector<Operation> end_recording()
{
    return cpu_device::end_recording();
}

void note_host_work(const char* label, const void* address, std::size_t bytes,
                    Operation::HostRate rate)
{
    cpu_device::record_host_work(label, address, bytes, rate, false);
}

void note_host_write(const char* label, const void* address, std::size_t bytes)
{
    cpu_device::record_host_work(label, address, bytes, Operation::HostRate::cached, true);
}

void set_lane_order(std::uint64_t seed)
{
    cpu_device::set_lane_order(seed);
}

std::string kernel_compiler()
{
#if defined(__clang__)
    const std::string compiler = "clang++ " __clang_version__;
#else
    const std::string compiler = "g++ " __VERSION__;
#endif
    return compiler + " " CPU_DEVICE_KERNEL_FLAGS;
}

} // namespace common
