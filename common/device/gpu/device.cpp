#include "common/device/device.hpp"

#include <cpu_device/counts.hpp>
#include <cpu_device/requests.hpp>

namespace common {

Backend backend()
{
    return Backend::gpu;
}

// A GPU counts nothing by itself, and orders its warps as it likes.
void begin_counting() {}
void sample_launches() {}
void simulate_caches(bool /*on*/) {}
void watch_races(bool /*on*/) {}
void set_device_count(int /*count*/) {}
std::vector<LaunchRecord> end_counting()
{
    return {};
}
std::vector<Operation> end_recording()
{
    return {};
}
void note_host_work(const char*, const void*, std::size_t, Operation::HostRate) {}

void model_card(const Card&) {}

std::vector<cpu_device::LaunchRequests> requests_of(const std::function<void()>&)
{
    return {};
}

void note_host_write(const char*, const void*, std::size_t) {}
void set_lane_order(std::uint64_t) {}
void run_blocks_sequentially(bool) {}

std::string kernel_compiler()
{
    return KERNEL_COMPILER;
}

} // namespace common
