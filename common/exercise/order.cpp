#include "common/exercise/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace common {

namespace {

using Kind = Operation::Kind;
/// Numbers of operations, all of which have finished.
using Done = std::set<std::size_t>;

bool is_host_copy(const Operation& operation)
{
    return operation.kind == Kind::copy_in || operation.kind == Kind::copy_out;
}

/// Follows a program, and knows of each operation what must have finished before it starts.
class Order
{
  public:
    explicit Order(const std::vector<Operation>& operations)
    {
        for (std::size_t i = 0; i < operations.size(); ++i) {
            host_before_.push_back(host_);
            before_.push_back(play(operations[i], i));
        }
    }

    [[nodiscard]] bool before(std::size_t one, std::size_t other) const
    {
        return before_[other].contains(one);
    }
    [[nodiscard]] bool known_to_host_before(std::size_t one, std::size_t other) const
    {
        return host_before_[other].contains(one);
    }
    [[nodiscard]] bool known_to_host(std::size_t operation) const
    {
        return host_.contains(operation);
    }

  private:
    /// What has finished when the stream has done all that it was given: the legacy default stream
    /// waits for all that are not independent, and they for it.
    Done reached(const Operation& operation) const
    {
        Done done = host_;
        for (const auto& [queue, tail] : tails_)
            if (queue == operation.queue() ||
                (!operation.independent && !tail.independent && tail.device == operation.device &&
                 (queue.second == 0 || operation.stream == 0)))
                done.insert(tail.done.begin(), tail.done.end());
        return done;
    }

    Done play(const Operation& operation, std::size_t number)
    {
        switch (operation.kind) {
        case Kind::copy_in:
        case Kind::copy_out:
        case Kind::copy_peer:
        case Kind::device_work: {
            Done done = reached(operation);
            Tail& tail = tails_[operation.queue()];
            tail = {done, operation.independent, operation.device};
            tail.done.insert(number);
            all_[operation.device].insert(tail.done.begin(), tail.done.end());
            if (is_host_copy(operation) && operation.pages != Operation::Pages::pinned)
                host_.insert(tail.done.begin(), tail.done.end());
            return done;
        }
        case Kind::record_event:
            events_[operation.event] = reached(operation);
            break;
        case Kind::stream_waits: {
            Done done = reached(operation);
            const Done& event = events_[operation.event];
            done.insert(event.begin(), event.end());
            tails_[operation.queue()] = {std::move(done), operation.independent, operation.device};
            break;
        }
        case Kind::host_waits: {
            if (operation.query) // an answer that asks has to wait all the same
                break;
            const Done& event = events_[operation.event];
            host_.insert(event.begin(), event.end());
            break;
        }
        case Kind::host_waits_for:
            if (!operation.query)
                host_ = reached(operation);
            break;
        case Kind::host_waits_all:
            host_.insert(all_[operation.device].begin(), all_[operation.device].end());
            break;
        case Kind::host_work:
        case Kind::asks_elapsed:
            break;
        }
        return {};
    }

    struct Tail
    {
        Done done;
        bool independent = false;
        int device = 0;
    };
    std::map<std::pair<int, unsigned>, Tail> tails_; ///< of each stream, by Operation::queue()
    std::map<std::size_t, Done> events_;             ///< when each is reached
    Done host_;                                      ///< what the host has waited for
    std::map<int, Done> all_;                        ///< of each device
    std::vector<Done> before_;
    std::vector<Done> host_before_; ///< what the host had waited for when it came to each
};

/// "copy to the host number 3 (stream 2)".
std::string describe(const std::vector<Operation>& operations, std::size_t number)
{
    const Operation& operation = operations[number];
    const std::string what = operation.kind == Kind::copy_in     ? "copy to the device"
                             : operation.kind == Kind::copy_out  ? "copy to the host"
                             : operation.kind == Kind::copy_peer ? "copy between devices"
                                                                 : operation.label;
    std::size_t turn = 0;
    for (std::size_t i = 0; i <= number; ++i)
        if (operations[i].kind == operation.kind && operations[i].label == operation.label)
            ++turn;
    const bool several = std::any_of(operations.begin(), operations.end(),
                                     [](const Operation& o) { return o.device != 0; });
    return fmt::format("{} number {} ({}{})", what, turn,
                       operation.stream == 0 ? "default stream"
                                             : fmt::format("stream {}", operation.stream),
                       several ? fmt::format(" of device {}", operation.device) : "");
}

/// A copy that brings what a kernel of that device may work on, from the host or from another
/// device.
bool brings(const Operation& operation, int device)
{
    return operation.kind == Kind::copy_in ||
           (operation.kind == Kind::copy_peer && operation.to == device);
}

/// What the program has queued; not the page faults of a kernel, which nobody requested.
bool is_work(const Operation& operation)
{
    return (operation.kind == Kind::copy_in || operation.kind == Kind::copy_out ||
            operation.kind == Kind::copy_peer || operation.kind == Kind::device_work) &&
           operation.pages != Operation::Pages::faulting;
}

bool uses_host_memory(const Operation& operation)
{
    return is_host_copy(operation) || operation.link_in_bytes + operation.link_out_bytes > 0;
}

/// The piece of each operation: its place among those of its kind, in `pieces` equal shares.
std::vector<std::size_t> pieces_of(const std::vector<Operation>& operations, std::size_t pieces)
{
    std::map<Kind, std::size_t> total;
    for (const Operation& operation : operations)
        ++total[operation.kind];
    std::map<Kind, std::size_t> seen;
    std::vector<std::size_t> piece;
    for (const Operation& operation : operations)
        piece.push_back(seen[operation.kind]++ * pieces / total[operation.kind]);
    return piece;
}

} // namespace

std::string left_undone(const std::vector<Operation>& operations)
{
    const Order order(operations);
    for (std::size_t i = 0; i < operations.size(); ++i)
        if (is_work(operations[i]) && !order.known_to_host(i))
            return fmt::format("{} may still be running when the host continues: nothing waits "
                               "for it.",
                               describe(operations, i));
    return {};
}

std::string touched_too_early(const std::vector<Operation>& operations)
{
    const Order order(operations);
    for (std::size_t later = 0; later < operations.size(); ++later) {
        const Operation& touch = operations[later];
        const bool works =
            touch.kind == Kind::host_work && touch.host_rate != Operation::HostRate::page_locking;
        // Managed pages come back because the host has touched them, and wait for no kernel.
        const bool fetches =
            touch.kind == Kind::copy_out && touch.pages == Operation::Pages::faulting;
        for (std::size_t earlier = 0; (works || fetches) && earlier < later; ++earlier)
            if (is_work(operations[earlier]) &&
                (fetches || uses_host_memory(operations[earlier])) &&
                !order.known_to_host_before(earlier, later))
                return fmt::format(
                    "{} may still be running when the host {} the data: nothing "
                    "waits for it first.",
                    describe(operations, earlier),
                    touch.host_rate == Operation::HostRate::page_unlocking ? "unlocks" : "touches");
    }
    return {};
}

std::string out_of_order(const std::vector<Operation>& operations, std::size_t pieces)
{
    const Order order(operations);
    const std::vector<std::size_t> piece = pieces_of(operations, pieces);
    for (std::size_t later = 0; later < operations.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            const Operation& first = operations[earlier];
            const Operation& second = operations[later];
            const bool same = first.kind == Kind::device_work && first.device == second.device;
            const bool needs =
                (second.kind == Kind::device_work && (same || brings(first, second.device))) ||
                (second.kind == Kind::copy_out && first.kind == Kind::device_work);
            if (needs && piece[earlier] == piece[later] && !order.before(earlier, later))
                return fmt::format("{} may run before {} has finished: nothing orders them.",
                                   describe(operations, later), describe(operations, earlier));
        }
    return {};
}

std::string kept_apart(const std::vector<Operation>& operations, std::size_t pieces)
{
    const Order order(operations);
    const std::vector<std::size_t> piece = pieces_of(operations, pieces);
    for (std::size_t in = 0; in < operations.size(); ++in)
        for (std::size_t other = 0; other < operations.size(); ++other) {
            const Kind kind = operations[other].kind;
            if (!brings(operations[in], operations[other].device) ||
                piece[in] != piece[other] + 1 ||
                (kind != Kind::device_work && kind != Kind::copy_out))
                continue;
            const bool waits = order.before(other, in);
            if (waits || order.before(in, other))
                return fmt::format("{} waits for {}, which belongs to another piece, so the two "
                                   "never overlap.",
                                   describe(operations, waits ? in : other),
                                   describe(operations, waits ? other : in));
        }
    return {};
}

std::string waits_for_kernel(const std::vector<Operation>& operations)
{
    const Order order(operations);
    for (std::size_t later = 0; later < operations.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            const Operation& second = operations[later];
            const bool apart =
                second.kind == Kind::copy_peer ||
                (second.kind == Kind::device_work && second.device != operations[earlier].device);
            if (apart && operations[earlier].kind == Kind::device_work &&
                order.before(earlier, later))
                return fmt::format("{} waits for {}.", describe(operations, later),
                                   describe(operations, earlier));
        }
    return {};
}

} // namespace common
