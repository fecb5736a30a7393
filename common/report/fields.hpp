/// \file
/// The fields of a results file, each named once: JSON and CSV go through these lists.
/// tools/results/results.schema.json says what each means.
#pragma once

#include "common/report/results.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace common {

/// Says of a field that it is left out of a file where it is empty.
struct UnlessEmpty
{};

/// Says of a number that it is left out of a file where it is 0.
struct UnlessZero
{};

// fields(object, visit) calls visit(name, member) for each field, in the order of the file;
// UnlessEmpty{} or UnlessZero{} may follow. In place of a member may stand a tuple of references,
// which is an array in the file, or a function that wants a visitor, of an object within this one.

/// The fields of clocks.
template<class Visit>
void fields(const Clocks& clocks, const Visit& visit)
{
    visit("sm_mhz", clocks.sm_mhz);
    visit("memory_mhz", clocks.memory_mhz);
}

/// The fields of the device.
template<class Visit>
void fields(const DeviceDescription& device, const Visit& visit)
{
    visit("backend", device.backend);
    visit("name", device.name);
    visit("card", device.card, UnlessEmpty{});
    visit("compute_capability", device.compute_capability);
    visit("multiprocessors", device.multiprocessors);
    visit("memory_bytes", device.memory_bytes);
    visit("l2_bytes", device.l2_bytes);
    visit("peak_gb_per_s", device.peak_gb_per_s);
    visit("host_cpu", device.host_cpu);
    visit("host_cores", device.host_cores);
}

/// The fields of the environment.
template<class Visit>
void fields(const Environment& environment, const Visit& visit)
{
    visit("date", environment.date);
    visit("commit", environment.commit);
    visit("kernel_compiler", environment.kernel_compiler);
    visit("host_compiler", environment.host_compiler);
    visit("driver", environment.driver);
    visit("cuda_driver", environment.cuda_driver);
    visit("cuda_runtime", environment.cuda_runtime);
    visit("toolkit", environment.toolkit);
    visit("clocks", [&environment](const auto& visit_clocks) {
        visit_clocks("before", environment.clocks_before);
        visit_clocks("after", environment.clocks_after);
    });
}

/// The fields of a time.
template<class Visit>
void fields(const Timing& time, const Visit& visit)
{
    visit("median", time.median);
    visit("p25", time.p25);
    visit("p75", time.p75);
    visit("min", time.min);
    visit("interval", std::tie(time.interval_low, time.interval_high));
    visit("samples", time.samples);
    visit("retries", time.retries);
    visit("stop", time.stop);
    visit("bimodal", time.bimodal, UnlessEmpty{});
}

/// The fields of the state of a GPU.
template<class Visit>
void fields(const GpuState& gpu, const Visit& visit)
{
    visit("sm_mhz", gpu.sm_mhz);
    visit("clock_reasons", gpu.clock_reasons);
    visit("celsius", gpu.celsius);
    visit("watts", gpu.watts);
}

/// The fields of what a launch takes.
template<class Visit>
void fields(const Energy& energy, const Visit& visit)
{
    visit("joules", energy.joules);
    visit("ms", energy.milliseconds);
}

/// The fields of counts.
template<class Visit>
void fields(const Counts& counts, const Visit& visit)
{
    for (const cpu_device::Counter& counter : cpu_device::counters)
        if (counter.rare)
            visit(counter.name, counts.*counter.member, UnlessZero{});
        else
            visit(counter.name, counts.*counter.member);
    visit("load_efficiency", counts.load_efficiency());
    visit("store_efficiency", counts.store_efficiency());
    visit("bytes_requested", counts.bytes_requested());
}

/// The fields of a bar.
template<class Visit>
void fields(const Bar& bar, const Visit& visit)
{
    visit("engine", bar.engine);
    visit("stream", bar.stream);
    visit("start_ms", bar.start_ms);
    visit("end_ms", bar.end_ms);
    visit("bytes", bar.bytes);
    visit("label", bar.label);
    visit("device", bar.device, UnlessEmpty{});
}

/// The fields of a Demand by name.
inline constexpr std::pair<const char*, double Demand::*> demand_fields[] = {
    {"blocks", &Demand::blocks},
    {"threads", &Demand::threads},
    {"dimensions", &Demand::dimensions},
    {"resident", &Demand::resident},
    {"wavefronts", &Demand::wavefronts},
    {"shared_wavefronts", &Demand::shared_wavefronts},
    {"constant_wavefronts", &Demand::constant_wavefronts},
    {"l2_read_sectors", &Demand::l2_read_sectors},
    {"l2_read_requests", &Demand::l2_read_requests},
    {"l2_write_sectors", &Demand::l2_write_sectors},
    {"l2_write_requests", &Demand::l2_write_requests},
    {"l2_partial_sectors", &Demand::l2_partial_sectors},
    {"l2_atomic_sectors", &Demand::l2_atomic_sectors},
    {"atomics_in_one_slice", &Demand::atomics_in_one_slice},
    {"dram_bytes_read", &Demand::dram_bytes_read},
    {"dram_bytes_written", &Demand::dram_bytes_written},
    {"dram_bytes_unused", &Demand::dram_bytes_unused},
    {"dram_rows", &Demand::dram_rows},
    {"dram_phases", &Demand::dram_phases},
    {"l2_phases", &Demand::l2_phases},
    {"l1_phases", &Demand::l1_phases},
    {"longest_warp", &Demand::longest_warp},
    {"link_bytes", &Demand::link_bytes},
};

/// The fields of what a kernel asks of a GPU.
template<class Visit>
void fields(const Demand& demand, const Visit& visit)
{
    for (const auto& [name, member] : demand_fields)
        visit(name, std::round(demand.*member * 1e6) / 1e6);
}

/// The fields of one size of a modelled timeline.
template<class Visit>
void fields(const Modelled::At& at, const Visit& visit)
{
    visit("n", at.n);
    visit("ms", at.ms);
    visit("operations", at.bars, UnlessEmpty{});
}

/// The fields of a modelled time.
template<class Visit>
void fields(const Modelled& modelled, const Visit& visit)
{
    visit("card", modelled.card);
    visit("ms", modelled.ms);
    visit("n", modelled.n);
    visit("gb_per_s", modelled.gb_per_s);
    visit("share_of_peak", modelled.share_of_peak);
    visit("limited_by", modelled.limited_by, UnlessEmpty{});
    visit("bounds", [&modelled](const auto& visit_bound) {
        for (const Bound& bound : modelled.bounds)
            visit_bound(std::string(bound.name).c_str(), std::round(bound.ms * 1e6) / 1e6);
    });
    const auto figure = [&](const char* name, double Traffic::*member) {
        visit(name, modelled.traffic ? std::optional(std::round(*modelled.traffic.*member))
                                     : std::nullopt);
    };
    figure("l1_hit_sectors", &Traffic::l1_hit_sectors);
    figure("l2_read_sectors", &Traffic::l2_read_sectors);
    figure("l2_write_sectors", &Traffic::l2_write_sectors);
    figure("l2_write_requests", &Traffic::l2_write_requests);
    figure("l2_atomic_sectors", &Traffic::l2_atomic_sectors);
    figure("dram_bytes_read", &Traffic::dram_bytes_read);
    figure("dram_bytes_written", &Traffic::dram_bytes_written);
    visit("demands", modelled.demands, UnlessEmpty{});
    visit("operations", modelled.bars);
    visit("operations_left_out", modelled.left_out);
    visit("at", modelled.at);
}

/// The fields of a row.
template<class Visit>
void fields(const Row& row, const Visit& visit)
{
    visit("variant", row.variant);
    visit("task", row.task);
    visit("parameters", row.parameters);
    visit("bytes", row.bytes);
    visit("operations", row.operations, UnlessEmpty{});
    visit("verified", row.verified);
    visit("library", row.library);
    visit("cache", row.cache);
    visit("in_l2", row.in_l2);
    visit("time_ms", row.time);
    visit("gb_per_s", row.gb_per_s);
    visit("share_of_peak", row.share_of_peak);
    visit("share_of_copy", row.share_of_copy);
    visit("gpu", row.gpu, UnlessEmpty{});
    visit("energy", row.energy, UnlessEmpty{});
    visit("counts", row.counts);
    visit("peer_bytes", row.peer_bytes, UnlessEmpty{});
    visit("modelled", row.modelled, UnlessEmpty{});
    visit("note", row.note, UnlessEmpty{});
}

} // namespace common
