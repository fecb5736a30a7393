/// \file
/// Threads that wait without a call that says so: in step with their warp, or by reading the same
/// addresses, or the clock, again and again.
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/launch_monitor.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>

namespace cpu_device {
namespace {

/// Reads of the clock after which a thread seems to wait by it: one that measures has two.
constexpr unsigned clock_reads_before_yield = 64;

} // namespace

void Worker::yield(std::uintptr_t pc, std::uintptr_t address)
{
    if (!host::fibers_suspend())
        return; // the other lanes follow when this one has returned
    if (keeps_looking(pc, address))
        tracer_.yield_at_next();
    else
        suspend(yielded);
}

/// Looks at an access of the current thread; true if the next one must be looked at as well.
bool Worker::keeps_looking(std::uintptr_t pc, std::uintptr_t address)
{
    constexpr unsigned looks = 64;
    if (!rounds_.empty())
        note_round(address);
    Spin& spin = current_->spin;
    if (spin.pc == 0) // it has met others since
        spin = {};
    spin.pc = pc;
    if (spin.looks > 0) {
        const auto end = spin.seen.begin() + spin.different;
        if (std::find(spin.seen.begin(), end, address) == end) {
            if (spin.different == spin.seen.size()) { // it does more than wait
                spin = {};
                return false;
            }
            spin.seen.at(spin.different++) = address;
        }
        found_.may_wait_unseen |= --spin.looks == 0;
        return spin.looks > 0;
    }
    if (std::ranges::find(spin.addresses, address) == spin.addresses.end()) {
        std::rotate(spin.addresses.begin(), spin.addresses.end() - 1, spin.addresses.end());
        spin.addresses[0] = address;
        return false;
    }
    if (found_.may_wait_unseen)
        return false;
    spin.looks = looks;
    spin.different = 0;
    return true;
}

void Worker::note_round(std::uintptr_t address)
{
    Round& round = rounds_[current_->number];
    const auto hash = static_cast<std::uint32_t>(address >> 2) * 0x9E3779B9u >> 21;
    round.repeats += !stacks_.region().contains(address); // which no other thread writes
    if (round.addresses[hash])
        return;
    round.addresses[hash] = true;
    round.repeats = 0;
    if (round.addresses.count() > round.addresses.size() / 4) // it goes through an array
        round.addresses.reset();
}

void Worker::step(std::uintptr_t pc, std::uintptr_t address, bool writes)
{
    if (stacks_.region().contains(address))
        return;
    const bool shared = static_shared_.contains(address) ||
                        address - reinterpret_cast<std::uintptr_t>(dynamic_shared_) <
                            launch_.configuration.dynamic_shared_bytes;
    found_.may_wait_unseen = true;
    if (!shared)
        races_.note_grid_barrier(); // by a flag, perhaps
    if (shared && writes && ++current_->steps == 2 && warp_->size > 1) {
        const Untraced untraced;
        advise({launch_.configuration.kernel, 0},
               "makes consecutive volatile stores to shared memory without __syncwarp(): GPUs "
               "before Volta ran the lanes of a warp in lockstep, and so does the CPU device for "
               "this kernel; put __syncwarp() between the steps.");
    }
    wait_for_lanes(pc, address);
}

void Worker::wait_for_lanes(std::uintptr_t pc, std::uintptr_t address)
{
    // Now and then it looks whether the thread does anything but wait.
    if (++current_->waits % Tracer::yield_after == 0 && current_->spin.looks == 0)
        static_cast<void>(keeps_looking(pc, address)); // if so, from when it goes on
    suspend(yielded);
}

void Worker::note_clock_read()
{
    if (++current_->clock_reads % clock_reads_before_yield == 0)
        suspend(yielded_to_warps);
}

void Worker::look_for_spin()
{
    constexpr unsigned many = 256; // yields, each after some accesses
    const auto now = std::chrono::steady_clock::now();
    if (progress_ == std::chrono::steady_clock::time_point())
        progress_ = now;
    const double seconds = std::chrono::duration<double>(now - progress_).count();
    if (seconds < std::min(1.0, settings().patience))
        return;
    if (rounds_.empty())
        rounds_.resize(threads_.size());
    const Thread* spinning = nullptr;
    for (const Thread* thread : live_threads()) {
        if (!is(*thread, ready) && !is(*thread, yielded))
            continue; // it waits for others
        if (rounds_[thread->number].repeats < many)
            return;
        spinning = thread;
    }
    if (spinning == nullptr)
        return;
    current_ = &threads_[spinning->number];
    report_spin(spinning->spin.pc, spinning->spin.addresses[0], seconds);
}

} // namespace cpu_device
