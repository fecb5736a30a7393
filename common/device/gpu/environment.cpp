#include "common/device/environment.hpp"

#include "common/device/check.hpp"
#include "common/device/measure.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <span>

namespace common {

namespace {

int current_device()
{
    int device = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    return device;
}

/// The address that NVML knows the device by: CUDA_VISIBLE_DEVICES may have renumbered it.
std::string pci_bus_id()
{
    std::array<char, 32> text{};
    CHECK_CUDA(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), current_device()));
    return text.data();
}

/// CUDA's 12080 as people write it: "12.8".
std::string version(int number)
{
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

} // namespace

DeviceDescription describe_device()
{
    cudaDeviceProp properties{};
    CHECK_CUDA(cudaGetDeviceProperties(&properties, current_device()));
    DeviceDescription device;
    device.backend = "gpu";
    device.name = properties.name;
    for (const char byte : std::span(properties.uuid.bytes).first(4))
        device.card += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    device.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
    device.multiprocessors = properties.multiProcessorCount;
    device.memory_bytes = properties.totalGlobalMem;
    device.l2_bytes = l2_bytes();
    if (const double peak = theoretical_peak(); peak > 0)
        device.peak_gb_per_s = peak;
    return device;
}

void describe_driver(Environment& environment)
{
    int cuda_driver = 0;
    int cuda_runtime = 0;
    CHECK_CUDA(cudaDriverGetVersion(&cuda_driver));
    CHECK_CUDA(cudaRuntimeGetVersion(&cuda_runtime));
    environment.cuda_driver = version(cuda_driver);
    environment.cuda_runtime = version(cuda_runtime);
    environment.toolkit = CUDA_TOOLKIT_VERSION;

    const NvmlReport nvml = ask_nvml(pci_bus_id());
    environment.driver = nvml.driver;
    environment.clocks_before = nvml.clocks;
}

std::optional<Clocks> current_clocks()
{
    return ask_nvml(pci_bus_id()).clocks;
}

std::optional<GpuState> current_state()
{
    return state_of(pci_bus_id());
}

std::optional<double> energy_so_far()
{
    return energy_of(pci_bus_id());
}

} // namespace common
