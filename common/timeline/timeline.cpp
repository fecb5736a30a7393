#include "common/timeline/timeline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace common {

namespace {

constexpr double us = 1e-3; ///< in milliseconds

/// Milliseconds that `bytes` take.
template<class Bytes>
double duration(Bytes bytes, double gb_per_s)
{
    return static_cast<double>(bytes) / (gb_per_s * 1e6);
}

/// When an engine, or a way between devices, is busy.
class Queue
{
  public:
    /// Where the first gap of `length` begins that begins at `ready` or later.
    [[nodiscard]] double gap(double ready, double length) const
    {
        for (const auto& [start, end] : busy_)
            if (end > ready && start < ready + length)
                ready = end;
        return ready;
    }
    void take(double start, double end) { busy_.emplace(start, end); }

  private:
    std::multimap<double, double> busy_; ///< end by start; no two overlap
};

/// What an operation needs of a queue that others use at the same time: milliseconds.
using Share = std::pair<Queue*, double>;

/// The state of the GPUs and their host while a program is played to them.
class Model
{
  public:
    Model(const Card& card, bool several) : card_(card), several_(several) {}

    void play(const Operation& operation)
    {
        using Kind = Operation::Kind;
        if (operation.kind == Kind::host_work)
            return work(operation);
        host_ += card_.call_us * us;
        switch (operation.kind) {
        case Kind::copy_in:
        case Kind::copy_out:
            return copy(operation);
        case Kind::copy_peer:
            return copy_to_peer(operation);
        case Kind::device_work:
            return run(operation);
        case Kind::record_event:
            events_[operation.event] = reached(operation);
            return;
        case Kind::stream_waits:
            move_tail(operation, std::max(reached(operation), events_[operation.event]));
            return;
        case Kind::host_waits:
            return wait_until(events_[operation.event]);
        case Kind::host_waits_for:
            return wait_until(reached(operation));
        case Kind::host_waits_all:
            return wait_until(of(operation).last);
        case Kind::host_work:
        case Kind::asks_elapsed:
            return;
        }
    }

    [[nodiscard]] Timeline result()
    {
        timeline_.host_ms = host_;
        double last = 0;
        for (const Device& device : devices_)
            last = std::max(last, device.last);
        double first = last;
        for (const Bar& bar : timeline_.bars)
            if (bar.engine != Engine::host)
                first = std::min(first, bar.start_ms);
        timeline_.device_ms = last - first;
        return std::move(timeline_);
    }

  private:
    struct Device
    {
        Queue copy_in, compute, copy_out;
        Queue peer_copies;       ///< of the copy engine for other devices
        Queue leaving, arriving; ///< for and from other devices
        double default_tail = 0; ///< of the legacy default stream
        double joined = 0;       ///< the last tail of those that it waits for
        double last = 0;         ///< the last of all tails
    };

    Device& of(const Operation& operation)
    {
        return devices_[static_cast<std::size_t>(operation.device)];
    }

    /// The end of what the operation's stream was given so far, and of what it must wait for: all
    /// streams that are not independent, for the legacy default stream; that one, for the others.
    double reached(const Operation& operation)
    {
        const double own = tails_[operation.queue()];
        if (operation.independent)
            return own;
        const Device& device = of(operation);
        return std::max(own, operation.stream == 0 ? device.joined : device.default_tail);
    }

    void move_tail(const Operation& operation, double end)
    {
        tails_[operation.queue()] = end;
        Device& device = of(operation);
        if (operation.stream == 0)
            device.default_tail = end;
        if (!operation.independent)
            device.joined = std::max(device.joined, end);
        device.last = std::max(device.last, end);
    }

    void wait_until(double time)
    {
        if (time > host_)
            host_ = time + card_.wait_us * us;
    }

    /// The operation takes the first time of an engine that is long enough: as long as `length`,
    /// and until its shares of other queues are done. Returns start and length.
    std::pair<double, double> place(const Operation& operation, Queue& engine, double latency,
                                    double length, const std::vector<Share>& shares = {})
    {
        const double ready = std::max(host_, reached(operation)) + latency * us;
        double start = engine.gap(ready, length);
        for (const auto& [queue, needed] : shares) {
            const double from = queue->gap(start, needed);
            queue->take(from, from + needed);
            length = std::max(length, from + needed - start);
        }
        engine.take(start, start + length);
        move_tail(operation, start + length);
        return {start, length};
    }

    void add(const Operation& operation, Engine engine, double start, double length, int device,
             std::uint64_t bytes)
    {
        timeline_.bars.push_back(
            {engine, operation.stream, start, start + length, bytes, operation.label,
             several_ && engine != Engine::host ? std::optional(device) : std::nullopt});
    }

    Queue& out_of(Device& device) const
    {
        return card_.limits.copy_engines < 2 ? device.copy_in : device.copy_out;
    }

    void copy(const Operation& operation)
    {
        using Pages = Operation::Pages;
        const bool in = operation.kind == Operation::Kind::copy_in;
        const double rate = operation.pages == Pages::faulting
                                ? (in ? card_.faulting_in_gb_per_s : card_.faulting_out_gb_per_s)
                            : operation.pages == Pages::pinned
                                ? (in ? card_.link_in_gb_per_s : card_.link_out_gb_per_s)
                                : (in ? card_.staged_in_gb_per_s : card_.staged_out_gb_per_s);
        const auto [start, length] =
            place(operation, in ? of(operation).copy_in : out_of(of(operation)),
                  card_.copy_latency_us, duration(operation.bytes, rate));
        add(operation, in ? Engine::copy_in : Engine::copy_out, start, length, operation.device,
            operation.bytes);
        if (operation.pages != Pages::pageable)
            return;
        add(operation, Engine::host, start, length, operation.device, operation.bytes);
        wait_until(start + length);
    }

    void copy_to_peer(const Operation& operation)
    {
        Device& from = devices_[static_cast<std::size_t>(operation.from)];
        Device& to = devices_[static_cast<std::size_t>(operation.to)];
        if (!operation.through_host) {
            const double least = duration(card_.peer_copied * static_cast<double>(operation.bytes),
                                          card_.peer_gb_per_s);
            const auto [start, length] =
                place(operation, from.peer_copies, card_.copy_latency_us, least,
                      {{&from.leaving, least}, {&to.arriving, least}});
            add(operation, Engine::peer, start, length, operation.from, operation.bytes);
            return;
        }
        const double least = duration(operation.bytes, card_.peer_staged_gb_per_s);
        const auto [start, length] =
            place(operation, out_of(from), card_.copy_latency_us, least,
                  {{&to.copy_in, least},
                   {&staging_, duration(operation.bytes, card_.peer_staging_gb_per_s)}});
        add(operation, Engine::copy_out, start, length, operation.from, operation.bytes);
        add(operation, Engine::copy_in, start, length, operation.to, operation.bytes);
    }

    void run(const Operation& operation)
    {
        Device& own = of(operation);
        std::vector<Share> ways;
        const auto carry = [&](Device& from, Device& to, double bytes) {
            for (Queue* const way : {&from.leaving, &to.arriving})
                if (bytes > 0)
                    ways.push_back({way, duration(bytes, card_.peer_gb_per_s)});
        };
        std::uint64_t written = 0;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const auto read = static_cast<double>(operation.peer_in_bytes[i]);
            const auto stored = static_cast<double>(operation.peer_out_bytes[i]);
            carry(devices_[i], own, card_.peer_accessed * read + card_.peer_answered * stored);
            carry(own, devices_[i], card_.peer_accessed * stored + card_.peer_requested * read);
            written += operation.peer_out_bytes[i];
        }
        const double least =
            std::max({duration(operation.bytes, card_.memory_gb_per_s),
                      duration(operation.link_in_bytes, card_.mapped_in_gb_per_s),
                      duration(operation.link_out_bytes, card_.link_out_gb_per_s)});
        const auto [start, length] =
            place(operation, own.compute, card_.launch_latency_us, least, ways);
        add(operation, Engine::compute, start, length, operation.device,
            operation.bytes + operation.link_in_bytes + operation.link_out_bytes +
                operation.bytes_between_devices());
        for (std::size_t i = 0; i < devices_.size(); ++i)
            if (operation.peer_in_bytes[i] > 0)
                add(operation, Engine::peer, start, length, static_cast<int>(i),
                    operation.peer_in_bytes[i]);
        if (written > 0)
            add(operation, Engine::peer, start, length, operation.device, written);
    }

    void work(const Operation& operation)
    {
        const std::array rates = {card_.host_gb_per_s, card_.host_write_combined_gb_per_s,
                                  card_.page_locking_gb_per_s, card_.page_unlocking_gb_per_s};
        const double start = host_;
        host_ += duration(operation.bytes, rates[static_cast<std::size_t>(operation.host_rate)]);
        add(operation, Engine::host, start, host_ - start, operation.device, operation.bytes);
    }

    const Card& card_;
    bool several_; ///< devices do something
    Timeline timeline_;
    std::array<Device, cpu_device::max_devices> devices_;
    Queue staging_; ///< of copies between devices through the host
    /// When each stream has done what it was given, by Operation::queue().
    std::map<std::pair<int, unsigned>, double> tails_;
    std::map<std::size_t, double> events_; ///< when each event is reached
    double host_ = 0;                      ///< when the host makes its next call
};

} // namespace

Timeline model(const std::vector<Operation>& operations, const Card& card)
{
    Model model(card, std::any_of(operations.begin(), operations.end(), [](const Operation& one) {
                    return one.device != 0 || one.bytes_between_devices() > 0;
                }));
    for (const Operation& operation : operations)
        model.play(operation);
    return model.result();
}

bool crosses_link(const std::vector<Operation>& operations)
{
    return std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
        return operation.kind == Operation::Kind::copy_in ||
               operation.kind == Operation::Kind::copy_out || operation.link_in_bytes > 0 ||
               operation.link_out_bytes > 0 || operation.bytes_between_devices() > 0;
    });
}

} // namespace common
