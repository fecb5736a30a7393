#include "core/managed.hpp"

#include <utility>

namespace cpu_device {

namespace {

constexpr int host_memory = -1;

/// Brings a page to one side, or copies it there; true if it was on the other side alone.
bool bring(PageState& state, bool PageState::*here, bool PageState::*there)
{
    const bool moves = !(state.*here) && state.*there;
    state.*here = true;
    if (!state.read_mostly)
        state.*there = false;
    return moves;
}

} // namespace

std::map<std::uintptr_t, PageState>::iterator ManagedPages::split(std::uintptr_t address)
{
    const auto before = std::prev(runs_.upper_bound(address));
    return before->first == address ? before : runs_.emplace(address, before->second).first;
}

PageTraffic ManagedPages::touch_by_device(const void* address, std::size_t bytes)
{
    const std::lock_guard lock(mutex_);
    PageTraffic traffic;
    for_each(address, bytes, [&](PageState& state, std::uint64_t size) {
        state.used = true;
        if (state.accessed_by_device && state.preferred == host_memory && !state.on_device) {
            state.on_host = true;
            traffic.linked += size;
        } else if (bring(state, &PageState::on_device, &PageState::on_host)) {
            traffic.migrated += size;
        }
    });
    return traffic;
}

void ManagedPages::find_used(const void* address, std::size_t bytes)
{
    change(address, bytes, [](PageState& state) {
        if (std::exchange(state.used, true))
            return;
        state.on_host = true;
        state.on_device = false;
    });
}

PageTraffic ManagedPages::touch_by_host(const void* address, std::size_t bytes, bool writes)
{
    const std::lock_guard lock(mutex_);
    PageTraffic traffic;
    for_each(address, bytes, [&](PageState& state, std::uint64_t size) {
        if (bring(state, &PageState::on_host, &PageState::on_device))
            traffic.migrated += size;
        if (writes)
            state.on_device = false;
    });
    return traffic;
}

std::uint64_t ManagedPages::prefetch(const void* address, std::size_t bytes, int device)
{
    const std::lock_guard lock(mutex_);
    std::uint64_t moved = 0;
    for_each(address, bytes, [&](PageState& state, std::uint64_t size) {
        if (device != host_memory ? bring(state, &PageState::on_device, &PageState::on_host)
                                  : bring(state, &PageState::on_host, &PageState::on_device))
            moved += size;
    });
    return moved;
}

} // namespace cpu_device
