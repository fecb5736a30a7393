#include "common/device/device.hpp"

#include "common/device/check.hpp"
#include "common/device/setting.hpp"
#include "common/model/cache_model.hpp"
#include "common/model/card.hpp"
#include "common/text/terminal.hpp"
#include "common/trace/request_json.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/operation.hpp>
#include <cpu_device/settings.hpp>
#include <cpu_device/trace.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace common {

namespace {

const Card* card_modelled = nullptr; ///< unless somebody has said which

void look_closely(cpu_device::Detail detail)
{
    cpu_device::set_trace_sink([](const LaunchTrace& trace) {
        return simulate_caches(trace, card_modelled == nullptr ? cards().front() : *card_modelled);
    });
    cpu_device::set_detail(detail);
}

constexpr int unusable = 2; ///< exit status

void append(const char* file, const cpu_device::LaunchRequests& launch)
{
    std::ofstream out(file, std::ios::app);
    out << json_of(launch) << '\n';
    if (!out.flush()) // whoever reads half a trace takes it for a whole one
        end_program(unusable, std::string("MOVING_BYTES_TRACE: cannot write '") + file +
                                  "': " + std::strerror(errno) + ".");
}

/// What the environment says to the CPU device, in front of all that the program itself does.
[[gnu::constructor(101)]] void configure()
{
#ifdef __GLIBC__
    // What the model of the caches frees after one launch it wants again for the next. Given back
    // to the system meanwhile, each of its pages would be zeroed and mapped anew: up to two thirds
    // of the page faults of a chapter.
    mallopt(M_MMAP_THRESHOLD, 256 << 20); // more than any array at the sizes of this device
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
    cpu_device::Settings& settings = cpu_device::settings();
    settings.devices =
        setting("MOVING_BYTES_DEVICES", 1, cpu_device::max_devices, "a whole number from 1 to 4")
            .value_or(settings.devices);
    settings.patience = setting("MOVING_BYTES_PATIENCE", 0.0, 1e9,
                                "a number of seconds from 0 to 1000000000, as 2.5 is")
                            .value_or(settings.patience);
    settings.how_to_be_patient = "MOVING_BYTES_PATIENCE=SECONDS";
    if (const char* wish = std::getenv("MOVING_BYTES_ASSERT"); wish != nullptr) {
        settings.assertion_returns = std::strcmp(wish, "return") == 0;
        if (!settings.assertion_returns)
            refuse_setting("MOVING_BYTES_ASSERT", "return, or not set");
    }
    if (const char* file = std::getenv("MOVING_BYTES_TRACE"); file != nullptr)
        cpu_device::set_request_sink(
            [file](const cpu_device::LaunchRequests& launch) { append(file, launch); });
}
static_assert(cpu_device::max_devices == 4);

} // namespace

Backend backend()
{
    return Backend::cpu;
}

void model_card(const Card& card)
{
    card_modelled = &card;
    cpu_device::set_device_limits(card.limits);
}

void set_device_count(int count)
{
    cpu_device::set_device_count(count);
}

void begin_counting()
{
    cpu_device::forget_launches();
    cpu_device::begin_recording();
}

void sample_launches()
{
    look_closely(cpu_device::Detail::sample);
}

void simulate_caches(bool on)
{
    look_closely(on ? cpu_device::Detail::traffic : cpu_device::Detail::counts);
}

void watch_races(bool on)
{
    cpu_device::settings().watches_races = on;
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
    cpu_device::settings().lane_order = seed;
}

void run_blocks_sequentially(bool on)
{
    cpu_device::settings().sequential_blocks = on;
}

std::vector<cpu_device::LaunchRequests> requests_of(const std::function<void()>& work)
{
    std::vector<cpu_device::LaunchRequests> launches;
    auto before = cpu_device::set_request_sink(
        [&](const cpu_device::LaunchRequests& launch) { launches.push_back(launch); });
    work();
    cpu_device::set_request_sink(std::move(before));
    return launches;
}

bool same_bits(const void* one, const void* other, std::size_t bytes)
{
    // By way of the host, which cannot reach the device's memory.
    constexpr std::size_t most = std::size_t{1} << 20U;
    std::vector<std::byte> here(std::min(bytes, most));
    std::vector<std::byte> there(here.size());
    for (std::size_t at = 0; at < bytes; at += most) {
        const std::size_t some = std::min(bytes - at, most);
        CHECK_CUDA(cudaMemcpy(here.data(), static_cast<const std::byte*>(one) + at, some,
                              cudaMemcpyDeviceToHost));
        CHECK_CUDA(cudaMemcpy(there.data(), static_cast<const std::byte*>(other) + at, some,
                              cudaMemcpyDeviceToHost));
        if (std::memcmp(here.data(), there.data(), some) != 0)
            return false;
    }
    return true;
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
