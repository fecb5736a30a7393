/// \file
/// The few facts that only NVIDIA's management library (NVML) knows. It belongs to the driver and
/// is opened at run time, so nothing here is needed to build or to start a program.
#pragma once

#include <optional>
#include <string>

namespace common {

/// Clock rates of a GPU at one moment.
struct Clocks
{
    unsigned sm_mhz = 0;     ///< of the SMs
    unsigned memory_mhz = 0; ///< of the device memory
};

/// A GPU at one moment, under load if it is asked right behind some.
struct GpuState
{
    std::optional<unsigned> sm_mhz; ///< the clock of the SMs
    /// Why the clocks are not higher: the bits of NVML's nvmlClocksEventReasons.
    std::optional<unsigned long long> clock_reasons;
    std::optional<unsigned> celsius; ///< of the GPU
    std::optional<double> watts;     ///< of the whole board
};

/// What NVML said.
struct NvmlReport
{
    std::optional<std::string> driver; ///< "580.65.06"
    std::optional<Clocks> clocks;      ///< at the moment of the call
};

/// Asks NVML about the GPU at `pci_bus_id` ("00000000:19:00.0"). What cannot be found out, because
/// `library` cannot be opened or refuses, is empty: no result depends on it.
[[nodiscard]] NvmlReport ask_nvml(const std::string& pci_bus_id,
                                  const char* library = "libnvidia-ml.so.1");

/// The state of that GPU; what NVML does not tell is empty.
[[nodiscard]] GpuState state_of(const std::string& pci_bus_id,
                                const char* library = "libnvidia-ml.so.1");

/// Joules that the GPU has taken since its driver was loaded; empty where that cannot be found out.
[[nodiscard]] std::optional<double> energy_of(const std::string& pci_bus_id,
                                              const char* library = "libnvidia-ml.so.1");

} // namespace common
