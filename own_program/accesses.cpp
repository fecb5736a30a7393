#include "own_program/accesses.hpp"

#include "common/model/cache_model.hpp"
#include "own_program/shapes.hpp"

#include <cpu_device/launches.hpp>

#include <map>

namespace own_program {
namespace {

/// By launch. Never destroyed: the report is made while the program ends.
std::map<std::size_t, Accesses>& all_accesses = *new std::map<std::size_t, Accesses>;

} // namespace

void watch_accesses()
{
    cpu_device::set_trace_sink([](const cpu_device::LaunchTrace& trace) {
        const Accesses& accesses = all_accesses[cpu_device::launches().size()] =
            common::accesses_of(trace);
        cpu_device::Traffic traffic = common::simulate_caches(trace, *modelled_card());
        const double left = atomics_left(accesses);
        traffic.l2_atomic_sectors *= left;
        traffic.atomics_in_one_slice *= left;
        return traffic;
    });
    cpu_device::set_detail(cpu_device::Detail::traffic);
}

const Accesses* accesses_of(std::size_t launch)
{
    const auto found = all_accesses.find(launch);
    return found == all_accesses.end() ? nullptr : &found->second;
}

} // namespace own_program
