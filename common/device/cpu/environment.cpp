#include "common/device/environment.hpp"

#include <fstream>
#include <thread>

namespace common {

namespace {

/// The model as Linux tells it: the first "model name : ..." of /proc/cpuinfo (x86), which other
/// processors may lack.
std::optional<std::string> cpu_model()
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        const std::size_t value = line.find(": ");
        if (line.starts_with("model name") && value != std::string::npos)
            return line.substr(value + 2);
    }
    return std::nullopt;
}

} // namespace

DeviceDescription describe_device()
{
    DeviceDescription device;
    device.backend = "cpu";
    device.name = "CPU device";
    device.host_cpu = cpu_model();
    device.host_cores = std::thread::hardware_concurrency();
    return device;
}

void describe_driver(Environment&) {}

std::optional<Clocks> current_clocks()
{
    return std::nullopt;
}

std::optional<GpuState> current_state()
{
    return std::nullopt;
}

std::optional<double> energy_so_far()
{
    return std::nullopt;
}

} // namespace common
