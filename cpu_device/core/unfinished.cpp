#include "core/memory.hpp"

#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/kernels.hpp"
#include "core/launch_monitor.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace cpu_device {
namespace {

struct Use
{
    Region region;
    bool writes = false;
    std::string what;                         ///< empty: told by
    std::vector<std::uintptr_t> callers = {}; ///< the lines of the call

    [[nodiscard]] std::pair<void*, std::size_t> pages() const
    {
        const std::uintptr_t begin = region.begin / host::page_bytes() * host::page_bytes();
        return {reinterpret_cast<void*>(begin),
                round_up(region.begin + region.bytes - begin, host::page_bytes())};
    }
};

struct Unfinished
{
    std::mutex mutex;
    std::vector<Use> uses;
    unsigned open = 0; ///< UnfinishedIsOpen objects alive
    Use found;         ///< the first that the host has met, at
    std::uintptr_t address = 0, pc = 0;
    std::string printing; ///< the last kernel that prints since the host waited

    void open_all()
    {
        for (const Use& use : uses) {
            const auto [begin, bytes] = use.pages();
            static_cast<void>(host::commit(begin, bytes));
        }
    }
};

/// True of an atomic instruction of x86, locked or an exchange, behind prefixes: who shares with a
/// kernel that runs uses it. `pc` is behind its first byte.
bool is_atomic(std::uintptr_t pc)
{
    const auto* code = reinterpret_cast<const unsigned char*>(pc - 1);
    while (pc != 0 && (*code == 0x66 || (*code & 0xf0) == 0x40))
        ++code;
    return pc != 0 && (*code == 0xf0 || (*code & 0xfe) == 0x86);
}

void close(const Use& use)
{
    const auto [begin, bytes] = use.pages();
    use.writes ? host::make_inaccessible(begin, bytes) : host::make_read_only(begin, bytes);
}

} // namespace

void note_unfinished(std::uintptr_t begin, std::size_t bytes, bool writes, std::string what)
{
    constexpr std::size_t most = 16; // a program that never waits makes the same mistake again
    if (!settings().watchful)
        return;
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    if (all.found.region.bytes != 0 || all.uses.size() == most)
        return;
    all.uses.push_back({{begin, bytes, AddressSpace::global}, writes, std::move(what)});
    if (all.uses.back().what.empty())
        all.uses.back().callers = host::callers();
    if (all.open == 0)
        close(all.uses.back());
}

void note_unfinished_print()
{
    const Untraced untraced;
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    if (all.printing.empty())
        all.printing = name_of(running_configuration());
}

void forget_unfinished()
{
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    all.printing.clear();
    all.open_all();
    all.uses.clear();
}

UnfinishedIsOpen::UnfinishedIsOpen()
{
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    if (all.open++ == 0)
        all.open_all();
}

UnfinishedIsOpen::~UnfinishedIsOpen()
{
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    if (--all.open == 0)
        std::for_each(all.uses.begin(), all.uses.end(), close);
}

// In a handler of signals: nothing is allocated but by moves.
bool is_unfinished(std::uintptr_t address, std::uintptr_t pc)
{
    auto& all = immortal<Unfinished>();
    const std::lock_guard lock(all.mutex);
    if (std::ranges::none_of(all.uses, [&](const Use& use) {
            const auto [begin, bytes] = use.pages();
            return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
        }))
        return false;
    all.open_all();
    const auto exact = std::ranges::find_if(
        all.uses, [&](const Use& use) { return use.region.contains(address); });
    if (exact != all.uses.end() && !in_kernel() && !is_atomic(pc)) {
        all.found = std::move(*exact);
        all.address = address;
        all.pc = pc;
    }
    all.uses.clear();
    return true;
}

std::string early_use()
{
    auto& [mutex, uses, open, found, address, pc, printing] = immortal<Unfinished>();
    const std::lock_guard lock(mutex);
    if (found.region.bytes == 0 && !printing.empty())
        return "the program ends without waiting for " + printing +
               ", whose output a GPU then loses. Call cudaDeviceSynchronize() before the end.";
    if (found.region.bytes == 0)
        return {};
    if (found.what.empty()) {
        const std::string call = host::source_line(found.callers);
        found.what = "the copy" + (call.empty() ? "" : " queued at " + call);
    }
    const Allocation allocation = // it may have been freed since
        nearest_allocation(reinterpret_cast<const void*>(address)).value_or(Allocation());
    const std::uintptr_t offset = address - allocation.begin;
    return "the host " + std::string(found.writes ? "uses " : "overwrites ") + "byte " +
           std::to_string(offset) + " of allocation " + std::to_string(allocation.serial) +
           at_line(pc) + ", which " + found.what + (found.writes ? " writes" : " reads") +
           ", without waiting for it: a GPU runs asynchronously to the host; only here is it "
           "done in time. Call cudaDeviceSynchronize() in between, or wait for the stream "
           "(book/04_async_memcpy.md).";
}

} // namespace cpu_device
