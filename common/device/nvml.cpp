#include "common/device/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

namespace common {

namespace {

// The declarations of nvml.h that are needed; the toolkit that has the header need not be there.
using Device = struct nvmlDevice_st*;
constexpr int success = 0;      // NVML_SUCCESS
constexpr int sm_clock = 1;     // NVML_CLOCK_SM
constexpr int memory_clock = 2; // NVML_CLOCK_MEM
constexpr int gpu_sensor = 0;   // NVML_TEMPERATURE_GPU

/// The functions of the opened library; null where it lacks one.
class Nvml
{
  public:
    explicit Nvml(void* library)
        : init(find<int()>(library, "nvmlInit_v2")),
          driver_version(find<int(char*, unsigned)>(library, "nvmlSystemGetDriverVersion")),
          device_by_pci_bus_id(
              find<int(const char*, Device*)>(library, "nvmlDeviceGetHandleByPciBusId_v2")),
          clock(find<int(Device, int, unsigned*)>(library, "nvmlDeviceGetClockInfo")),
          energy(find<int(Device, unsigned long long*)>(library,
                                                        "nvmlDeviceGetTotalEnergyConsumption")),
          clock_reasons(find<int(Device, unsigned long long*)>(
              library, "nvmlDeviceGetCurrentClocksThrottleReasons")),
          temperature(find<int(Device, int, unsigned*)>(library, "nvmlDeviceGetTemperature")),
          power(find<int(Device, unsigned*)>(library, "nvmlDeviceGetPowerUsage"))
    {}

    [[nodiscard]] bool complete() const
    {
        return init && driver_version && device_by_pci_bus_id && clock;
    }

    int (*init)();
    int (*driver_version)(char*, unsigned);
    int (*device_by_pci_bus_id)(const char*, Device*);
    int (*clock)(Device, int, unsigned*);
    int (*energy)(Device, unsigned long long*); ///< of Volta and later, in millijoules
    int (*clock_reasons)(Device, unsigned long long*);
    int (*temperature)(Device, int, unsigned*);
    int (*power)(Device, unsigned*); ///< in milliwatts

  private:
    template<class Function>
    static Function* find(void* library, const char* name)
    {
        return reinterpret_cast<Function*>(dlsym(library, name));
    }
};

std::optional<std::string> driver_version(const Nvml& nvml)
{
    std::array<char, 81> text{}; // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
    if (nvml.driver_version(text.data(), text.size() - 1) != success)
        return std::nullopt;
    return text.data();
}

std::optional<double> energy(const Nvml& nvml, const std::string& pci_bus_id)
{
    Device device = nullptr;
    unsigned long long millijoules = 0;
    if (!nvml.energy || nvml.device_by_pci_bus_id(pci_bus_id.c_str(), &device) != success ||
        nvml.energy(device, &millijoules) != success)
        return std::nullopt;
    return 1e-3 * static_cast<double>(millijoules);
}

std::optional<Clocks> clocks(const Nvml& nvml, const std::string& pci_bus_id)
{
    Device device = nullptr;
    Clocks now;
    if (nvml.device_by_pci_bus_id(pci_bus_id.c_str(), &device) != success ||
        nvml.clock(device, sm_clock, &now.sm_mhz) != success ||
        nvml.clock(device, memory_clock, &now.memory_mhz) != success)
        return std::nullopt;
    return now;
}

/// What a function of NVML writes behind its arguments; empty where it is missing or refuses.
template<class T, class Function, class... Arguments>
std::optional<T> value_of(Function* function, Arguments... arguments)
{
    T value{};
    if (!function || function(arguments..., &value) != success)
        return std::nullopt;
    return value;
}

GpuState state(const Nvml& nvml, const std::string& pci_bus_id)
{
    Device device = nullptr;
    if (nvml.device_by_pci_bus_id(pci_bus_id.c_str(), &device) != success)
        return {};
    GpuState now;
    now.sm_mhz = value_of<unsigned>(nvml.clock, device, sm_clock);
    now.clock_reasons = value_of<unsigned long long>(nvml.clock_reasons, device);
    now.celsius = value_of<unsigned>(nvml.temperature, device, gpu_sensor);
    if (const auto milliwatts = value_of<unsigned>(nvml.power, device))
        now.watts = *milliwatts / 1000.0;
    return now;
}

/// The library, opened and initialised once for the process, which is asked after every row; null
/// where it cannot be.
const Nvml* opened(const char* library)
{
    static std::map<std::string, std::unique_ptr<const Nvml>> all;
    const auto [place, first] = all.try_emplace(library);
    if (void* const handle = first ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : nullptr) {
        auto nvml = std::make_unique<const Nvml>(handle);
        if (nvml->complete() && nvml->init() == success)
            place->second = std::move(nvml);
    }
    return place->second.get();
}

/// What `question` finds out from the library; without one a value of its own type that says
/// nothing.
template<class Question>
auto ask(const char* library, const Question& question)
    -> decltype(question(std::declval<const Nvml&>()))
{
    const Nvml* const nvml = opened(library);
    if (!nvml)
        return {};
    return question(*nvml);
}

} // namespace

NvmlReport ask_nvml(const std::string& pci_bus_id, const char* library)
{
    return ask(library, [&](const Nvml& nvml) {
        return NvmlReport{driver_version(nvml), clocks(nvml, pci_bus_id)};
    });
}

GpuState state_of(const std::string& pci_bus_id, const char* library)
{
    return ask(library, [&](const Nvml& nvml) { return state(nvml, pci_bus_id); });
}

std::optional<double> energy_of(const std::string& pci_bus_id, const char* library)
{
    return ask(library, [&](const Nvml& nvml) { return energy(nvml, pci_bus_id); });
}

} // namespace common
