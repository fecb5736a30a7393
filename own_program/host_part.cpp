#include "own_program/summary.hpp"

#include "common/text/format.hpp"
#include "common/timeline/timeline.hpp"
#include "own_program/shapes.hpp"

#include <cpu_device/operation.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace own_program {
namespace {

using cpu_device::Operation;
using Kind = Operation::Kind;
using Pages = Operation::Pages;
constexpr std::size_t most_operations = 65'536; ///< that are recorded

bool is_copy(const Operation& operation)
{
    return operation.kind == Kind::copy_in || operation.kind == Kind::copy_out;
}

bool is_work(const Operation& operation)
{
    return is_copy(operation) || operation.kind == Kind::copy_peer ||
           operation.kind == Kind::device_work;
}

bool host_waits(const Operation& operation)
{
    return operation.kind == Kind::host_waits || operation.kind == Kind::host_waits_for ||
           operation.kind == Kind::host_waits_all;
}

/// " at mine.cu:12", or nothing.
std::string at_line(const Operation& operation)
{
    const std::string line = line_of(operation);
    return line.empty() ? "" : " at " + line;
}

std::string in_ms(double ms)
{
    constexpr double small = 10;
    return ms < small ? fmt::format("{:.2g} ms", ms) : fmt::format("{:.0f} ms", ms);
}

/// Bytes of some operations, the one with the most, and how many they are.
struct Sum
{
    std::uint64_t bytes = 0;
    const Operation* largest = nullptr;
    unsigned operations = 0;

    void add(const Operation& operation)
    {
        bytes += operation.bytes;
        ++operations;
        if (largest == nullptr || operation.bytes > largest->bytes)
            largest = &operation;
    }
};

class HostPart
{
  public:
    HostPart(const std::vector<Operation>& operations, double kernels_ms,
             const common::LaunchRecord* last, const common::Card& card)
        : all_(operations), kernels_ms_(kernels_ms), last_(last), card_(card)
    {}

    [[nodiscard]] std::string text() const
    {
        return results() + unordered() + page_faults() + pageable_copies() + default_stream() +
               one_by_one() + events() + small_copies() + freed_again() + copies();
    }

  private:
    /// What the last kernel has written, and the host has not fetched.
    [[nodiscard]] std::string results() const
    {
        const auto is_kernel = [](const Operation& one) {
            return one.kind == Kind::device_work && !one.launched_at.empty();
        };
        const auto kernel = std::find_if(all_.rbegin(), all_.rend(), is_kernel);
        const auto copies = [](auto first, auto last, Kind kind) {
            return std::count_if(first, last,
                                 [&](const Operation& one) { return one.kind == kind; });
        };
        if (last_ == nullptr || last_->counts.store_requests == 0 || kernel == all_.rend() ||
            kernel->label != last_->kernel || last_->link_out_bytes != 0 ||
            copies(all_.begin(), all_.end(), Kind::copy_in) == 0 ||
            std::ranges::count(all_, Pages::faulting, &Operation::pages) != 0 ||
            std::ranges::any_of(last_->reached, [](const auto& of) { return of.second == 0; }))
            return {}; // or the host reaches them itself
        if (copies(all_.begin(), all_.end(), Kind::copy_out) == 0)
            return fmt::format("No call copies what the kernels have written to the host, the last "
                               "of them {}{}: its variables are as they were. Call cudaMemcpy() "
                               "with cudaMemcpyDeviceToHost (book/00_introduction.md).\n",
                               kernel->label, at_line(*kernel));
        const auto copy = std::find_if(all_.rbegin(), kernel, is_copy);
        const std::uint64_t blocks =
            std::uint64_t{last_->grid[0]} * last_->grid[1] * last_->grid[2];
        if (copy == kernel || copy->kind != Kind::copy_out || blocks < 2 || copy->bytes > 8 ||
            copies(all_.rbegin(), kernel, Kind::copy_out) != 1 ||
            std::ranges::count(last_->reached, std::pair<std::size_t, std::size_t>(
                                                   (blocks * copy->bytes + 31) / 32 * 32,
                                                   blocks * copy->bytes)) == 0)
            return {};
        return fmt::format(
            "{}{} writes {} results, one per block, and the host copies only the first{}. Combine "
            "all of them, on the host or in another launch (book/28_reduction.md).\n",
            kernel->label, at_line(*kernel), common::format_count(blocks), at_line(*copy));
    }

    /// A kernel for which no copy of its input has to be over, or a copy out for which no kernel
    /// has.
    [[nodiscard]] std::string unordered() const
    {
        constexpr std::size_t most = 1024; // a program makes the same mistake again
        for (std::size_t i = 0; i < std::min(most, all_.size()); ++i) {
            const bool kernel = !all_[i].launched_at.empty();
            if (!kernel && (all_[i].kind != Kind::copy_out || all_[i].pages == Pages::faulting))
                continue;
            const Operation* last = nullptr; // of those that it may need
            bool waits = false;              // for one of them
            for (std::size_t j = 0; j < i && !waits; ++j)
                if (kernel ? all_[j].kind == Kind::copy_in && all_[j].pages != Pages::faulting
                           : !all_[j].launched_at.empty()) {
                    last = &all_[j];
                    waits = is_ordered(j, i);
                }
            if (last != nullptr && !waits)
                return fmt::format(
                    "{}{} does not wait for {}{}: they are in different streams, in which a GPU "
                    "runs them in any order. If it needs the result, let its stream wait for an "
                    "event of the other by cudaStreamWaitEvent() (book/04_async_memcpy.md).\n",
                    kernel ? all_[i].label : "the copy to the host", at_line(all_[i]),
                    kernel ? "the copy to the device" : last->label, at_line(*last));
        }
        return {};
    }

    /// True if one of two operations begins when the other is over.
    [[nodiscard]] bool is_ordered(std::size_t first, std::size_t next) const
    {
        const Operation &one = all_[first], &other = all_[next];
        return one.queue() == other.queue() || one.device != other.device ||
               (one.stream == 0 && !other.independent) || (other.stream == 0 && !one.independent) ||
               std::any_of(all_.begin() + static_cast<std::ptrdiff_t>(first),
                           all_.begin() + static_cast<std::ptrdiff_t>(next),
                           [&](const Operation& between) {
                               return host_waits(between) || (between.kind == Kind::stream_waits &&
                                                              between.queue() == other.queue());
                           });
    }

    /// Managed pages that the host touched last, and a kernel faults in.
    [[nodiscard]] std::string page_faults() const
    {
        constexpr std::uint64_t little = 1 << 20;
        Sum faults;
        for (const Operation& operation : all_)
            if (operation.kind == Kind::copy_in && operation.pages == Pages::faulting)
                faults.add(operation);
        if (faults.bytes < little)
            return {};
        const auto kernel = std::find_if( // behind the most of them
            all_.begin() + (faults.largest - all_.data()), all_.end() - 1,
            [](const Operation& operation) { return operation.kind == Kind::device_work; });
        const auto bytes = static_cast<double>(faults.bytes);
        return fmt::format(
            "{}{} waits for page faults: {} of managed memory, last touched by the host, migrate "
            "on first access, in {}. "
            "cudaMemPrefetchAsync() before the launch transfers them in {} "
            "(book/13_prefetch_and_advice.md).\n",
            kernel->label, at_line(*kernel), common::format_bytes(faults.bytes),
            in_ms(bytes / (card_.faulting_in_gb_per_s * 1e6)),
            in_ms(bytes / (card_.link_in_gb_per_s * 1e6)));
    }

    /// Copies that are asked to go on while the host does, and cannot.
    [[nodiscard]] std::string pageable_copies() const
    {
        constexpr std::uint64_t staged = 1 << 16; // a call with less returns at once
        Sum pageable;
        std::vector<Operation> pinned = all_;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const bool waited_for = i + 1 < all_.size() &&
                                    all_[i + 1].kind == Kind::host_waits_for &&
                                    all_[i + 1].stream == all_[i].stream;
            if (is_copy(all_[i]) && all_[i].pages == Pages::pageable && !waited_for &&
                all_[i].bytes > staged) {
                pageable.add(all_[i]);
                pinned[i].pages = Pages::pinned;
            }
        }
        if (pageable.operations == 0)
            return {};
        return fmt::format(
            "cudaMemcpyAsync(){} copies {} of pageable memory: it returns only when the driver has "
            "staged them, so nothing overlaps{}. With cudaMallocHost(), the program's calls and "
            "their work take {} instead of {} (book/10_pinned_memory.md).\n",
            at_line(*pageable.largest), common::format_bytes(pageable.largest->bytes),
            pageable.operations > 1 ? fmt::format(" (and so do {} others)", pageable.operations - 1)
                                    : "",
            in_ms(whole_ms(pinned)), in_ms(whole_ms(all_)));
    }

    /// Work of the legacy default stream between that of two others which wait for it.
    [[nodiscard]] std::string default_stream() const
    {
        const auto blocking = [](const Operation& operation) {
            return is_work(operation) && operation.stream != 0 && !operation.independent;
        };
        const Operation* before = nullptr;
        const Operation* between = nullptr;
        for (const Operation& operation : all_) {
            if (host_waits(operation)) {
                before = between = nullptr;
            } else if (between != nullptr && blocking(operation) &&
                       operation.stream != before->stream) {
                return fmt::format(
                    "{}{} is in the default stream: it waits for {}{} in another stream, and {}{} "
                    "in a third waits for it, so the three are serialized. Use a separate stream "
                    "for it, or create the others with cudaStreamNonBlocking "
                    "(book/04_async_memcpy.md).\n",
                    between->label, at_line(*between), before->label, at_line(*before),
                    operation.label, at_line(operation));
            } else if (between == nullptr && blocking(operation)) {
                before = &operation;
            } else if (between == nullptr && is_work(operation) && operation.stream == 0 &&
                       before != nullptr) {
                between = &operation;
            }
        }
        return {};
    }

    /// Streams of which each has to be done before the host gives the next one work.
    [[nodiscard]] std::string one_by_one() const
    {
        const Operation* work = nullptr; // that the host has not waited for,
        const Operation* wait = nullptr; // by a call that has waited for another stream before
        std::map<std::vector<std::uintptr_t>, unsigned> waited_for; // by call
        for (const Operation& operation : all_) {
            if (is_work(operation) && operation.stream != 0) {
                if (work != nullptr && work->queue() != operation.queue())
                    return {}; // they overlap already
                work = &operation;
            } else if (work != nullptr && !operation.query &&
                       (operation.kind == Kind::host_waits_all ||
                        (operation.kind == Kind::host_waits_for &&
                         operation.queue() == work->queue()))) {
                const auto [last, first] = waited_for.emplace(operation.callers, work->stream);
                wait = first || last->second == work->stream ? wait : &operation;
                work = nullptr;
            }
        }
        if (wait == nullptr)
            return {};
        std::vector<Operation> at_once = all_;
        std::erase_if(at_once, [&](const Operation& one) {
            return host_waits(one) && one.callers == wait->callers;
        });
        if (whole_ms(at_once) > 0.9 * whole_ms(all_))
            return {};
        return fmt::format(
            "The host waits{} for each stream before it gives the next one work, so nothing "
            "overlaps. Give all of them their work first, and wait afterwards: the program's calls "
            "and their work take {} instead of {} (book/04_async_memcpy.md).\n",
            at_line(*wait), in_ms(whole_ms(at_once)), in_ms(whole_ms(all_)));
    }

    /// Times that events tell of a stream where nothing ran, or before it has come to them.
    [[nodiscard]] std::string events() const
    {
        std::map<std::size_t, std::size_t> recorded; // events, where they were last
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (all_[i].kind == Kind::record_event)
                recorded[all_[i].event] = i;
            if (all_[i].kind != Kind::asks_elapsed || recorded.count(all_[i].event) == 0 ||
                recorded.count(all_[i].since) == 0)
                continue;
            const std::size_t first = recorded[all_[i].since], last = recorded[all_[i].event];
            const auto from = all_.begin() + static_cast<std::ptrdiff_t>(last);
            const auto now = all_.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::none_of(from, now, host_waits))
                return fmt::format("cudaEventElapsedTime(){} is called before the event{} "
                                   "completes: nothing waits "
                                   "for it, and a GPU returns cudaErrorNotReady. Call "
                                   "cudaEventSynchronize() first (book/how_we_measure.md).\n",
                                   at_line(all_[i]), at_line(all_[last]));
            if (const Operation* const elsewhere = missed_between(first, last))
                return fmt::format(
                    "cudaEventElapsedTime(){} measures nothing: between its events{} and{} their "
                    "stream has no work, while {}{} runs in another stream. Record both events in "
                    "that stream (book/how_we_measure.md).\n",
                    at_line(all_[i]), at_line(all_[first]), at_line(all_[last]), elsewhere->label,
                    at_line(*elsewhere));
        }
        return {};
    }

    /// Work between the two events that neither waits for; null if they have some between them.
    [[nodiscard]] const Operation* missed_between(std::size_t first, std::size_t last) const
    {
        const Operation& event = all_[last];
        const Operation* missed = nullptr;
        for (std::size_t i = first; i < last; ++i) {
            const Operation& operation = all_[i];
            if (operation.kind == Kind::stream_waits && operation.queue() == event.queue())
                return nullptr; // for an event behind that work
            if (host_waits(operation))
                return nullptr; // the events have the host's time between them
            if (!is_work(operation))
                continue;
            const bool ordered =
                operation.queue() == event.queue() ||
                (operation.stream == 0 && operation.device == event.device && !event.independent) ||
                (event.stream == 0 && operation.device == event.device && !operation.independent);
            if (ordered)
                return nullptr;
            missed = &operation;
        }
        return missed;
    }

    /// Copies whose bytes take no time next to what each call takes.
    [[nodiscard]] std::string small_copies() const
    {
        constexpr unsigned few = 64;
        const double each_us = card_.call_us + card_.copy_latency_us + card_.wait_us;
        Sum small, waits;               // the latter for a kernel: these cannot be joined
        Kind before = Kind::host_waits; // of the work before
        for (const Operation& operation : all_) {
            const bool waits_for = operation.kind == Kind::copy_out ||
                                   operation.kind == Kind::host_waits_for ||
                                   operation.kind == Kind::host_waits_all;
            const bool of_result = waits_for && !operation.query && before == Kind::device_work;
            if ((of_result || is_copy(operation)) && operation.pages != Pages::faulting &&
                (!is_copy(operation) ||
                 static_cast<double>(operation.bytes) < each_us * card_.link_in_gb_per_s * 1e3 / 4))
                (of_result ? waits : small).add(operation);
            before = of_result || is_work(operation) ? operation.kind : before;
        }
        const double waits_ms = each_us * waits.operations / 1e3;
        if (waits.operations >= few && waits_ms > kernels_ms_ / 2)
            return fmt::format("The host waits for a kernel {} times, as{}, about {:.0f} us each, "
                               "{} in all; all kernels take {}. A stream runs launches in order: "
                               "synchronize, copy results and free memory only after several of "
                               "them (book/37_small_kernels.md).\n",
                               common::format_count(waits.operations), at_line(*waits.largest),
                               each_us, in_ms(waits_ms), in_ms(kernels_ms_));
        if (small.operations < few)
            return {};
        return fmt::format(
            "{} copies of {} each on average{} take about {:.0f} us each for overhead alone, {} in "
            "all. Pack the data first, or copy rows by cudaMemcpy2D() "
            "(book/14_pitched_memory.md).\n",
            common::format_count(small.operations),
            common::format_bytes(small.bytes / small.operations), at_line(*small.largest), each_us,
            in_ms(each_us * small.operations / 1e3));
    }

    /// Memory that a program allocates for each of its steps.
    [[nodiscard]] std::string freed_again() const
    {
        constexpr unsigned few = 32;
        std::map<std::vector<std::uintptr_t>, Sum> calls;
        unsigned steps = 0;
        bool worked = false; // in this step
        for (const Operation& operation : all_) {
            worked = worked || is_work(operation);
            if (operation.label.starts_with("cudaFree")) {
                calls[operation.callers].add(operation);
                steps += std::exchange(worked, false);
            }
        }
        Sum most;
        double pinned_ms = 0;
        for (const auto& [call, freed] : calls) {
            most = freed.operations > most.operations ? freed : most;
            if (freed.operations >= few && freed.largest->label == "cudaFreeHost")
                pinned_ms += static_cast<double>(freed.bytes) / 1e6 *
                             (1 / card_.page_locking_gb_per_s + 1 / card_.page_unlocking_gb_per_s);
        }
        if (std::min(steps, most.operations) < few)
            return {};
        return fmt::format(
            "{}(){} frees memory {} times, allocated for each step: each call waits until the "
            "device is idle{}. Allocate once and reuse it, or call cudaMallocAsync() and "
            "cudaFreeAsync() (book/10_pinned_memory.md).\n",
            most.largest->label, at_line(*most.largest), common::format_count(most.operations),
            pinned_ms == 0 ? "" : ", and locking and unlocking pages takes " + in_ms(pinned_ms));
    }

    /// Copies that outlast all kernels.
    [[nodiscard]] std::string copies() const
    {
        constexpr double little = 0.1; // ms
        Sum copied;
        std::uint64_t pageable = 0; // bytes
        double ms = 0, pinned_ms = 0;
        for (const Operation& operation : all_) {
            if (!is_copy(operation) || operation.pages == Pages::faulting)
                continue;
            copied.add(operation);
            const bool in = operation.kind == Kind::copy_in;
            const bool staged = operation.pages == Pages::pageable;
            const double megabytes = static_cast<double>(operation.bytes) / 1e6;
            const double pinned =
                megabytes / (in ? card_.link_in_gb_per_s : card_.link_out_gb_per_s);
            pinned_ms += pinned;
            pageable += staged ? operation.bytes : 0;
            ms += !staged ? pinned
                          : megabytes / (in ? card_.staged_in_gb_per_s : card_.staged_out_gb_per_s);
        }
        if (ms < little || ms < kernels_ms_ || kernels_ms_ == 0)
            return {};
        return fmt::format(
            "Copies take longer than the kernels: {} between host and device in {}, most of "
            "them{}; all kernels {}. Keep data that several kernels use on the device{} "
            "(book/04_async_memcpy.md).\n",
            common::format_bytes(copied.bytes), in_ms(ms), at_line(*copied.largest),
            in_ms(kernels_ms_),
            pageable > copied.bytes / 2
                ? fmt::format("; from cudaMallocHost() the copies take {}", in_ms(pinned_ms))
                : "");
    }

    /// From the first call until everything is done.
    [[nodiscard]] double whole_ms(const std::vector<Operation>& operations) const
    {
        const common::Timeline timeline = common::model(operations, card_);
        double last = timeline.host_ms;
        for (const common::Bar& bar : timeline.bars)
            last = std::max(last, bar.end_ms);
        return last;
    }

    const std::vector<Operation>& all_;
    double kernels_ms_;
    const common::LaunchRecord* last_;
    const common::Card& card_;
};

} // namespace

void watch_host()
{
    cpu_device::begin_recording(most_operations);
}

std::string host_part(double kernels_ms, const common::LaunchRecord* last)
{
    const std::vector<Operation> operations = cpu_device::end_recording();
    if (modelled_card() == nullptr || operations.empty())
        return {};
    const std::string text = HostPart(operations, kernels_ms, last, *modelled_card()).text();
    return operations.size() < most_operations || text.empty()
               ? text
               : fmt::format("Of the program's calls the first {}:\n{}", most_operations, text);
}

} // namespace own_program
