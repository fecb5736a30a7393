/// \file
/// Threads that wait without a call that says so.
#include "core/block_scheduler.hpp"

#include "core/launch_monitor.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <utility>

namespace cpu_device {

void SpinWatch::begin_launch(std::size_t threads, const Region& stacks)
{
    stacks_ = stacks;
    spins_.assign(threads, Spin());
    may_wait_unseen_ = false;
}

void SpinWatch::note_progress()
{
    progress_ = {};
    rounds_.clear();
}

void SpinWatch::look(Thread& thread, std::uintptr_t pc, std::uintptr_t address)
{
    constexpr unsigned looks = 64;
    if (!rounds_.empty())
        note_round(thread.number, address);
    Spin& spin = spins_[thread.number];
    if (std::exchange(thread.has_met, false))
        spin = {};
    spin.pc = pc;
    if (spin.looks > 0) {
        const auto end = spin.seen.begin() + spin.different;
        const bool known = std::find(spin.seen.begin(), end, address) != end;
        if (!known && spin.different == spin.seen.size()) { // it does more than wait
            spin = {};
        } else {
            if (!known)
                spin.seen.at(spin.different++) = address;
            may_wait_unseen_ |= --spin.looks == 0;
        }
    } else if (std::ranges::find(spin.addresses, address) == spin.addresses.end()) {
        std::rotate(spin.addresses.begin(), spin.addresses.end() - 1, spin.addresses.end());
        spin.addresses[0] = address;
    } else if (!may_wait_unseen_) {
        spin.looks = looks;
        spin.different = 0;
    }
    thread.looked_at = spin.looks > 0;
}

void SpinWatch::note_round(unsigned thread, std::uintptr_t address)
{
    Round& round = rounds_[thread];
    const auto hash = static_cast<std::uint32_t>(address >> 2) * 0x9E3779B9u >> 21;
    round.repeats += !stacks_.contains(address);
    if (round.addresses[hash])
        return;
    round.addresses[hash] = true;
    round.repeats = 0;
    if (round.addresses.count() > round.addresses.size() / 4) // it goes through an array
        round.addresses.reset();
}

const Thread* SpinWatch::find_spinning(const BlockThreads& block)
{
    constexpr unsigned many = 256; // yields, each after some accesses
    const auto now = std::chrono::steady_clock::now();
    if (progress_ == std::chrono::steady_clock::time_point())
        progress_ = now;
    seconds_ = std::chrono::duration<double>(now - progress_).count();
    if (seconds_ < std::min(1.0, settings().patience))
        return nullptr;
    if (rounds_.empty())
        rounds_.resize(block.threads.size());
    const Thread* spinning = nullptr;
    for (const Thread* thread : block.live()) {
        if (!block.is(*thread, Warp::ready) && !block.is(*thread, Warp::yielded))
            continue; // it waits for others
        if (rounds_[thread->number].repeats < many)
            return nullptr;
        spinning = thread;
    }
    return spinning;
}

void SpinWatch::report(const Thread& spinning) const
{
    const Spin& spin = spins_[spinning.number];
    report_spin(spinning.has_met ? 0 : spin.pc, spin.addresses[0], seconds_);
}

} // namespace cpu_device
