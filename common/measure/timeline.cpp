#include "common/measure/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace common {

namespace {

constexpr double us = 1e-3; ///< in milliseconds

/// Milliseconds that `bytes` take.
double duration(std::uint64_t bytes, double gb_per_s)
{
    return static_cast<double>(bytes) / (gb_per_s * 1e6);
}

/// What one engine does, and when it has time.
class Queue
{
  public:
    /// Takes the first gap of `length` that begins at `ready` or later; returns where it begins.
    double place(double ready, double length)
    {
        auto next = busy_.upper_bound(ready);
        double start = ready;
        if (next != busy_.begin())
            start = std::max(start, std::prev(next)->second);
        while (next != busy_.end() && next->first - start < length) {
            start = next->second;
            ++next;
        }
        busy_.emplace_hint(next, start, start + length);
        return start;
    }

  private:
    std::multimap<double, double> busy_; ///< end by start; no two overlap
};

/// The state of a card and its host while a program is played to them.
class Model
{
  public:
    explicit Model(const Card& card) : card_(card) {}

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
        case Kind::device_work:
            return run(operation);
        case Kind::record_event:
            events_[operation.event] = reached(operation);
            return;
        case Kind::stream_waits:
            move_tail(operation, std::max(reached(operation), event(operation)));
            return;
        case Kind::host_waits:
            return wait_until(event(operation));
        case Kind::host_waits_for:
            return wait_until(reached(operation));
        case Kind::host_waits_all:
            return wait_until(last_);
        case Kind::host_work:
            return;
        }
    }

    [[nodiscard]] Timeline result()
    {
        timeline_.host_ms = host_;
        double first = last_;
        for (const Bar& bar : timeline_.bars)
            if (bar.engine != Engine::host)
                first = std::min(first, bar.start_ms);
        timeline_.device_ms = last_ - first;
        return std::move(timeline_);
    }

  private:
    /// The end of what the operation's stream was given so far, and of what it must wait for: all
    /// streams that are not independent, for the legacy default stream; that one, for the others.
    double reached(const Operation& operation) const
    {
        const auto found = tails_.find(operation.stream);
        const double own = found == tails_.end() ? 0 : found->second;
        if (operation.independent)
            return own;
        return std::max(own, operation.stream == 0 ? joined_ : default_);
    }

    void move_tail(const Operation& operation, double end)
    {
        tails_[operation.stream] = end;
        if (operation.stream == 0)
            default_ = end;
        if (!operation.independent)
            joined_ = std::max(joined_, end);
        last_ = std::max(last_, end);
    }

    double event(const Operation& operation) const
    {
        const auto found = events_.find(operation.event);
        return found == events_.end() ? 0 : found->second;
    }

    void wait_until(double time)
    {
        if (time > host_)
            host_ = time + card_.wait_us * us;
    }

    double place(const Operation& operation, Engine engine, double latency, double length)
    {
        const double ready = std::max(host_, reached(operation)) + latency * us;
        const bool shared = engine == Engine::copy_out && card_.copy_engines < 2;
        Queue& queue = queues_[static_cast<std::size_t>(shared ? Engine::copy_in : engine)];
        const double start = queue.place(ready, length);
        move_tail(operation, start + length);
        add(operation, engine, start, start + length);
        return start + length;
    }

    void add(const Operation& operation, Engine engine, double start, double end)
    {
        timeline_.bars.push_back(
            {engine, operation.stream, start, end,
             operation.bytes + operation.link_in_bytes + operation.link_out_bytes,
             operation.label});
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
        const double length = duration(operation.bytes, rate);
        const double end = place(operation, in ? Engine::copy_in : Engine::copy_out,
                                 card_.copy_latency_us, length);
        if (operation.pages != Pages::pageable)
            return;
        add(operation, Engine::host, end - length, end);
        wait_until(end);
    }

    void run(const Operation& operation)
    {
        const double length =
            std::max({duration(operation.bytes, card_.memory_gb_per_s),
                      duration(operation.link_in_bytes, card_.mapped_in_gb_per_s),
                      duration(operation.link_out_bytes, card_.link_out_gb_per_s)});
        place(operation, Engine::compute, card_.launch_latency_us, length);
    }

    void work(const Operation& operation)
    {
        const std::array rates = {card_.host_gb_per_s, card_.host_write_combined_gb_per_s,
                                  card_.page_locking_gb_per_s, card_.page_unlocking_gb_per_s};
        const double start = host_;
        host_ += duration(operation.bytes, rates[static_cast<std::size_t>(operation.host_rate)]);
        add(operation, Engine::host, start, host_);
    }

    const Card& card_;
    Timeline timeline_;
    std::array<Queue, 3> queues_;
    std::map<unsigned, double> tails_;     ///< when each stream has done what it was given
    std::map<std::size_t, double> events_; ///< when each event is reached
    double host_ = 0;                      ///< when the host makes its next call
    double default_ = 0;                   ///< the tail of the legacy default stream
    double joined_ = 0;                    ///< the last tail of those that it waits for
    double last_ = 0;                      ///< the last of all tails
};

} // namespace

const char* name(Engine engine)
{
    constexpr std::array names = {"H2D", "compute", "D2H", "host"};
    return names[static_cast<std::size_t>(engine)];
}

Timeline model(const std::vector<Operation>& operations, const Card& card)
{
    Model model(card);
    for (const Operation& operation : operations)
        model.play(operation);
    return model.result();
}

bool crosses_link(const std::vector<Operation>& operations)
{
    return std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
        return operation.kind == Operation::Kind::copy_in ||
               operation.kind == Operation::Kind::copy_out || operation.link_in_bytes > 0 ||
               operation.link_out_bytes > 0;
    });
}

std::vector<Operation> scaled(std::vector<Operation> operations, double factor)
{
    for (Operation& operation : operations)
        for (std::uint64_t* bytes :
             {&operation.bytes, &operation.link_in_bytes, &operation.link_out_bytes})
            *bytes = static_cast<std::uint64_t>(std::llround(static_cast<double>(*bytes) * factor));
    return operations;
}

Modelled model_row(const std::vector<Operation>& operations, const Card& card, std::uint64_t n,
                   bool whole)
{
    const auto milliseconds = [whole](const Timeline& timeline) {
        return whole ? timeline.host_ms : timeline.device_ms;
    };
    Timeline timeline = model(operations, card);
    Modelled modelled;
    modelled.card = card.name;
    modelled.ms = milliseconds(timeline);
    modelled.left_out = timeline.bars.size() - std::min(timeline.bars.size(), Modelled::max_bars);
    timeline.bars.resize(timeline.bars.size() - modelled.left_out);
    modelled.bars = std::move(timeline.bars);
    for (unsigned power = 8; power <= 30; power += 2) {
        const std::uint64_t elements = std::uint64_t{1} << power;
        const double factor = static_cast<double>(elements) / static_cast<double>(n);
        Timeline other = model(scaled(operations, factor), card);
        modelled.at.push_back({elements, milliseconds(other)});
        if (elements == Modelled::drawn_elements) {
            other.bars.resize(modelled.bars.size());
            modelled.at.back().bars = std::move(other.bars);
        }
    }
    return modelled;
}

std::string draw(const Modelled& modelled, std::size_t width)
{
    constexpr std::array engines = {Engine::copy_in, Engine::compute, Engine::copy_out,
                                    Engine::host};
    constexpr std::size_t label_width = 9;
    double end = 0;
    for (const Bar& bar : modelled.bars)
        end = std::max(end, bar.end_ms);
    if (end <= 0 || width <= label_width)
        return {};
    const auto columns = static_cast<double>(width - label_width);
    std::string text;
    for (const Engine engine : engines) {
        std::string bars(width - label_width, '.');
        bool any = false;
        for (const Bar& bar : modelled.bars) {
            if (bar.engine != engine)
                continue;
            any = true;
            // From the column that holds its start to before the one that holds its end, and at
            // least one: a short kernel must be seen.
            const auto first =
                std::min(bars.size() - 1, static_cast<std::size_t>(bar.start_ms / end * columns));
            const auto last =
                std::max(first + 1, static_cast<std::size_t>(bar.end_ms / end * columns));
            const char mark = engine == Engine::host ? '#'
                              : bar.stream < 10      ? static_cast<char>('0' + bar.stream)
                                                     : '+';
            std::fill(bars.begin() + static_cast<std::ptrdiff_t>(first),
                      bars.begin() + static_cast<std::ptrdiff_t>(std::min(last, bars.size())),
                      mark);
        }
        if (any) {
            std::string label = name(engine);
            label.resize(label_width, ' ');
            text += label + bars + "\n";
        }
    }
    return text;
}

} // namespace common
