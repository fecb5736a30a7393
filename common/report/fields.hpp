/// \file
/// The fields of a results file, each named once: whoever writes or reads a file goes through these
/// lists. tools/results/results.schema.json says what each means.
#pragma once

#include "common/report/results.hpp"

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

namespace common {

/// Says of a field that it is left out of a file where it is empty.
struct UnlessEmpty
{};

/// Says of a number that it is left out of a file where it is 0.
struct UnlessZero
{};

/// `Object`, constant where it is written and not where it is read.
template<class T, class Object>
concept Is = std::same_as<std::remove_const_t<T>, Object>;

// fields(object, visit) calls visit(name, member) for each field, in the order of the file;
// UnlessEmpty{} or UnlessZero{} may follow. In place of a member may stand a tuple of references,
// which is an array in the file, or a function that wants a visitor, of an object within this one.

/// The fields of clocks.
template<Is<Clocks> T, class Visit>
void fields(T& clocks, const Visit& visit)
{
    visit("sm_mhz", clocks.sm_mhz);
    visit("memory_mhz", clocks.memory_mhz);
}

/// The fields of the device.
template<Is<DeviceDescription> T, class Visit>
void fields(T& device, const Visit& visit)
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
template<Is<Environment> T, class Visit>
void fields(T& environment, const Visit& visit)
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
template<Is<Timing> T, class Visit>
void fields(T& time, const Visit& visit)
{
    visit("median", time.median);
    visit("p25", time.p25);
    visit("p75", time.p75);
    visit("min", time.min);
    visit("interval", std::tie(time.interval_low, time.interval_high));
    visit("samples", time.samples);
    visit("retries", time.retries);
    visit("stop", time.stop);
}

/// The fields of what a launch takes.
template<Is<Energy> T, class Visit>
void fields(T& energy, const Visit& visit)
{
    visit("joules", energy.joules);
    visit("ms", energy.milliseconds);
}

/// The fields of counts.
template<Is<Counts> T, class Visit>
void fields(T& counts, const Visit& visit)
{
    for (const cpu_device::Counter& counter : cpu_device::counters)
        if (counter.rare)
            visit(counter.name, counts.*counter.member, UnlessZero{});
        else
            visit(counter.name, counts.*counter.member);
    if constexpr (std::is_const_v<T>) { // these follow from the rest, and are not read
        visit("load_efficiency", counts.load_efficiency());
        visit("store_efficiency", counts.store_efficiency());
        visit("bytes_requested", counts.bytes_requested());
    }
}

/// The fields of a bar.
template<Is<Bar> T, class Visit>
void fields(T& bar, const Visit& visit)
{
    visit("engine", bar.engine);
    visit("stream", bar.stream);
    visit("start_ms", bar.start_ms);
    visit("end_ms", bar.end_ms);
    visit("bytes", bar.bytes);
    visit("label", bar.label);
    visit("device", bar.device, UnlessEmpty{});
}

/// The fields of one size of a modelled timeline.
template<Is<Modelled::At> T, class Visit>
void fields(T& at, const Visit& visit)
{
    visit("n", at.n);
    visit("ms", at.ms);
    visit("operations", at.bars, UnlessEmpty{});
}

/// The fields of a modelled time.
template<Is<Modelled> T, class Visit>
void fields(T& modelled, const Visit& visit)
{
    visit("card", modelled.card);
    visit("ms", modelled.ms);
    visit("n", modelled.n);
    visit("gb_per_s", modelled.gb_per_s);
    visit("share_of_peak", modelled.share_of_peak);
    visit("limited_by", modelled.limited_by, UnlessEmpty{});
    if constexpr (std::is_const_v<T>) { // for who looks at a file; nothing here reads them
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
    }
    visit("operations", modelled.bars);
    visit("operations_left_out", modelled.left_out);
    visit("at", modelled.at);
}

/// The fields of a row.
template<Is<Row> T, class Visit>
void fields(T& row, const Visit& visit)
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
    visit("energy", row.energy, UnlessEmpty{});
    visit("counts", row.counts);
    visit("peer_bytes", row.peer_bytes, UnlessEmpty{});
    visit("modelled", row.modelled, UnlessEmpty{});
    visit("note", row.note, UnlessEmpty{});
}

} // namespace common
