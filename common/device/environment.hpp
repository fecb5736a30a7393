/// \file
/// What a result was obtained on and with: everything needed to repeat it or to doubt it.
#pragma once

#include "common/device/nvml.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace common {

/// The device that ran the kernels. What does not apply to it is empty, and null in a result file.
struct DeviceDescription
{
    std::string backend; ///< "gpu" or "cpu"
    std::string name;    ///< "NVIDIA H200", or "CPU device"
    std::string card;    ///< first 8 digits of a GPU's UUID, which tell it from others of its name
    std::optional<std::string> compute_capability; ///< "9.0"
    std::optional<int> multiprocessors;            ///< how many
    std::optional<std::uint64_t> memory_bytes;     ///< device memory in all
    std::optional<std::uint64_t> l2_bytes;         ///< l2_bytes(), where it is known
    std::optional<double> peak_gb_per_s;           ///< theoretical_peak()
    std::optional<std::string> host_cpu;           ///< model of the CPU that the CPU device runs on
    std::optional<unsigned> host_cores;            ///< its hardware threads
};

/// The software around a result, and the clocks it was obtained at. No name of a host or a person.
struct Environment
{
    std::string date;   ///< when it was collected: UTC, ISO 8601, "2026-11-20T10:30:00Z"
    std::string commit; ///< of this repository, "-dirty" appended when files differed, or "unknown"
    std::string kernel_compiler;             ///< with its flags
    std::string host_compiler;               ///< of everything else
    std::optional<std::string> driver;       ///< version of the NVIDIA driver: "580.65.06"
    std::optional<std::string> cuda_driver;  ///< newest CUDA that the driver supports: "13.0"
    std::optional<std::string> cuda_runtime; ///< CUDA runtime library: "13.0"
    std::optional<std::string> toolkit;      ///< CUDA toolkit that compiled the kernels: "13.0.88"
    std::optional<Clocks> clocks_before;     ///< when the environment was collected
    std::optional<Clocks> clocks_after;      ///< when record_clocks_after() was called

    /// Reads the clocks again; call it when the measurements are done.
    void record_clocks_after();
};

/// Describes the device in use. Throws CudaError.
[[nodiscard]] DeviceDescription describe_device();

/// Collects everything but clocks_after. Throws CudaError.
[[nodiscard]] Environment collect_environment();

/// Fills in what only a GPU has: driver, versions and clocks. Called by collect_environment();
/// each device has its own, and the CPU device's does nothing.
void describe_driver(Environment& environment);

/// The clocks at this moment; empty on the CPU device and where NVML does not tell.
[[nodiscard]] std::optional<Clocks> current_clocks();

/// The state of the device at this moment; empty on the CPU device.
[[nodiscard]] std::optional<GpuState> current_state();

/// Joules that the device has taken so far; empty on the CPU device and where NVML does not tell.
[[nodiscard]] std::optional<double> energy_so_far();

} // namespace common
