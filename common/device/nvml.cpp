#include "common/device/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>
#include <utility>

namespace common {

namespace {

// The declarations of nvml.h that are needed; the toolkit that has the header need not be there.
using Device = struct nvmlDevice_st*;
constexpr int success = 0;      // NVML_SUCCESS
constexpr int sm_clock = 1;     // NVML_CLOCK_SM
constexpr int memory_clock = 2; // NVML_CLOCK_MEM

struct CloseLibrary
{
    void operator()(void* library) const { dlclose(library); }
};

/// The functions of the opened library; null where it lacks one.
class Nvml
{
  public:
    explicit Nvml(void* library)
        : init(find<int()>(library, "nvmlInit_v2")), shutdown(find<int()>(library, "nvmlShutdown")),
          driver_version(find<int(char*, unsigned)>(library, "nvmlSystemGetDriverVersion")),
          device_by_pci_bus_id(
              find<int(const char*, Device*)>(library, "nvmlDeviceGetHandleByPciBusId_v2")),
          clock(find<int(Device, int, unsigned*)>(library, "nvmlDeviceGetClockInfo")),
          energy(find<int(Device, unsigned long long*)>(library,
                                                        "nvmlDeviceGetTotalEnergyConsumption"))
    {}

    [[nodiscard]] bool complete() const
    {
        return init && shutdown && driver_version && device_by_pci_bus_id && clock;
    }

    int (*init)();
    int (*shutdown)();
    int (*driver_version)(char*, unsigned);
    int (*device_by_pci_bus_id)(const char*, Device*);
    int (*clock)(Device, int, unsigned*);
    int (*energy)(Device, unsigned long long*); ///< of Volta and later, in millijoules

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

/// What `question` finds out from the opened library; without one a value of its own type that says
/// nothing.
template<class Question>
auto ask(const char* library, const Question& question)
    -> decltype(question(std::declval<const Nvml&>()))
{
    const std::unique_ptr<void, CloseLibrary> opened(dlopen(library, RTLD_NOW | RTLD_LOCAL));
    if (!opened)
        return {};
    const Nvml nvml(opened.get());
    if (!nvml.complete() || nvml.init() != success)
        return {};
    auto answer = question(nvml);
    nvml.shutdown();
    return answer;
}

} // namespace

NvmlReport ask_nvml(const std::string& pci_bus_id, const char* library)
{
    return ask(library, [&](const Nvml& nvml) {
        return NvmlReport{driver_version(nvml), clocks(nvml, pci_bus_id)};
    });
}

std::optional<double> energy_of(const std::string& pci_bus_id, const char* library)
{
    return ask(library, [&](const Nvml& nvml) { return energy(nvml, pci_bus_id); });
}

} // namespace common
