/// \file
/// The devices of the process: which of them a thread of the host uses, and which of them may use
/// each other's memory.
#pragma once

#include "cpu_device/settings.hpp"

#include <array>
#include <cstdint>

namespace cpu_device {

/// The device of the calling thread, as of cudaSetDevice(): 0 in a new one. In a thread that runs a
/// kernel, the kernel's.
[[nodiscard]] int current_device();
/// `device` is below device_count().
void set_current_device(int device);

/// While one lives, the calling thread uses `device`.
class OnDevice
{
  public:
    explicit OnDevice(int device) : before_(current_device()) { set_current_device(device); }
    ~OnDevice() { set_current_device(before_); }
    OnDevice& operator=(OnDevice&&) = delete;

  private:
    int before_;
};

/// True if kernels of `device` may use the memory of `owner`: their own always, another device's
/// after set_peer_access().
[[nodiscard]] bool has_access(int device, int owner);
/// Returns what it was before.
bool set_peer_access(int device, int peer, bool enabled);

/// Sectors of another device's memory that a launch requested.
struct PeerSectors
{
    std::uint64_t load = 0;
    std::uint64_t store = 0;
    std::uint64_t atomic = 0;

    PeerSectors& operator+=(const PeerSectors& other)
    {
        load += other.load;
        store += other.store;
        atomic += other.atomic;
        return *this;
    }
};
/// By the device whose memory it is.
using PeerTraffic = std::array<PeerSectors, max_devices>;

} // namespace cpu_device
