#include "common/device/ranks.hpp"

#include "common/device/setting.hpp"
#include "common/device/socket.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <poll.h>
#include <thread>
#include <utility>

namespace common {

namespace {

using Steady = std::chrono::steady_clock;

constexpr int exit_lost = 5;
constexpr int exit_unusable = 2;
constexpr unsigned usual_port = 29533;
constexpr double usual_patience = 10;  // seconds, as of kernels that spin
constexpr double least_patience = 0.5; // a process that does not run for so long is alive
constexpr std::size_t most_said = std::size_t{1} << 24U;
constexpr std::size_t most_strangers = 64;
constexpr std::chrono::milliseconds between_looks{100};

double seconds_between(Steady::time_point from, Steady::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

struct LauncherNames
{
    const char* rank;
    const char* size;
};

/// The innermost first: mpirun and torchrun may themselves be started by srun, which leaves its
/// variables to them. A batch script of Slurm has a rank and SLURM_NTASKS, and is one process all
/// the same: only srun sets SLURM_STEP_NUM_TASKS.
constexpr std::array launchers = {LauncherNames{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  LauncherNames{"RANK", "WORLD_SIZE"},
                                  LauncherNames{"PMI_RANK", "PMI_SIZE"},
                                  LauncherNames{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

/// What tells two runs of a program apart, where the launcher says it.
std::string job()
{
    std::string all;
    for (const char* name :
         {"PMIX_NAMESPACE", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID"})
        if (const char* const value = std::getenv(name))
            all += fmt::format(", {} {}", name, value);
    return all;
}

Endpoint master()
{
    const char* const host = std::getenv("MASTER_ADDR");
    unsigned port = setting("MASTER_PORT", 1U, 65534U, "a port, a whole number from 1 to 65534")
                        .value_or(usual_port);
    // There torchrun listens itself.
    if (const char* store = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
        store != nullptr && std::strcmp(store, "True") == 0)
        ++port;
    return {host == nullptr || *host == '\0' ? "127.0.0.1" : host,
            static_cast<std::uint16_t>(port)};
}

/// A text with its length in front, so that several can be told apart.
std::string packed_text(const std::string& text)
{
    return fmt::format("{}:{}", text.size(), text);
}

std::vector<std::string> unpacked_texts(std::string_view all)
{
    std::vector<std::string> texts;
    while (!all.empty()) {
        std::size_t length = 0;
        const char* const end = all.data() + all.size();
        const auto [colon, error] = std::from_chars(all.data(), end, length);
        if (error != std::errc() || colon == end || length > all.size())
            return {};
        all.remove_prefix(static_cast<std::size_t>(colon - all.data()) + 1);
        texts.emplace_back(all.substr(0, length));
        all.remove_prefix(std::min(length, all.size()));
    }
    return texts;
}

} // namespace

Launched launched()
{
    for (const auto& [rank, size] : launchers) {
        const auto ranks = setting(size, 1U, most_ranks, "a whole number from 1 to 512");
        if (!ranks || (*ranks == 1 && std::getenv(rank) == nullptr))
            continue;
        const std::string allowed =
            fmt::format("a whole number from 0 to {}, for {} is {}", *ranks - 1, size, *ranks);
        const auto own = setting(rank, 0U, *ranks - 1, allowed.c_str());
        if (!own)
            end_program(exit_unusable, fmt::format("{} is {}, and {} is not set: it must be {}.",
                                                   size, *ranks, rank, allowed));
        return {*own, *ranks};
    }
    return {};
}
static_assert(most_ranks == 512);

/// Rank 0 is connected to every other rank, and every other rank to rank 0. Once all have come, a
/// thread of each process reads what comes, and watches.
class Ranks::Connections
{
  public:
    Connections(const Launched& as, const std::string& program)
        : own_(as), program_((program + job()).substr(0, FrameReader::of_a_stranger / 2)),
          at_(master()),
          patience_(std::max(least_patience, setting("MOVING_BYTES_PATIENCE", 0.0, 1e9,
                                                     "a number of seconds from 0 to 1000000000")
                                                 .value_or(usual_patience))),
          peers_(own_.rank == 0 ? own_.size : 1)
    {
        try {
            own_.rank == 0 ? gather() : find();
        } catch (const std::runtime_error& error) {
            end_program(exit_unusable,
                        fmt::format("{} MASTER_ADDR and MASTER_PORT say where rank 0 "
                                    "listens, which is {} for this one of {} ranks.",
                                    error.what(), at_.text(), own_.size));
        }
        for (Peer& peer : peers_)
            peer.heard = Steady::now();
        watcher_ = std::thread([this] { watch(); });
    }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;
    ~Connections()
    {
        {
            const std::lock_guard lock(mutex_);
            send_to_all({FrameKind::farewell, {}});
            leaving_ = true;
        }
        watcher_.join();
    }

    /// Sends to every rank that this one is connected to.
    void say(const std::string& text)
    {
        const std::lock_guard lock(mutex_);
        send_to_all({FrameKind::data, text});
    }

    /// What that rank has said next.
    std::string listen(unsigned rank)
    {
        std::unique_lock lock(mutex_);
        Peer& peer = peers_[rank];
        changed_.wait(lock, [&] { return !peer.said.empty() || peer.finished; });
        if (peer.said.empty())
            lost(rank, "has finished, where others go on");
        std::string said = std::move(peer.said.front());
        peer.said.pop_front();
        return said;
    }

    /// Ends the program because of that rank, and tells all others why.
    [[noreturn]] void lose(unsigned rank, std::string_view how)
    {
        const std::lock_guard lock(mutex_);
        lost(rank, how);
    }

    [[nodiscard]] const std::string& program() const { return program_; }
    [[nodiscard]] double patience() const { return patience_; }
    [[nodiscard]] std::string address() const
    {
        return own_.rank == 0 ? at_.host : peers_.front().socket.endpoint().host;
    }

  private:
    /// What lose() does, where nobody else can be sending.
    [[noreturn]] void lost(unsigned rank, std::string_view how)
    {
        const std::string sentence =
            fmt::format("rank {} of {} is lost: it {}.", rank, own_.size, how);
        if (own_.rank == 0)
            send_to_all({FrameKind::lost, sentence});
        end_program(exit_lost, sentence);
    }

    struct Peer
    {
        Socket socket;
        FrameReader frames;
        std::deque<std::string> said;
        Steady::time_point heard;
        bool finished = false; // has said farewell
    };

    // --- until all have come -----------------------------------------------------------------

    /// Rank 0: until every other rank has said hello.
    void gather()
    {
        const Socket listener = Socket::listening(at_);
        const Deadline deadline = after_seconds(patience_);
        std::vector<Peer> strangers;
        for (unsigned missing = own_.size - 1; missing > 0;) {
            wait_for_any(listener, strangers);
            if (Steady::now() >= deadline)
                lost_to_all_who_came();
            if (Socket socket = listener.accepted(Steady::now())) {
                if (strangers.size() == most_strangers)
                    strangers.erase(strangers.begin());
                strangers.emplace_back().socket = std::move(socket);
            }
            for (unsigned rank = 1; rank < own_.size; ++rank)
                if (Peer& peer = peers_[rank];
                    peer.socket && !peer.frames.read(peer.socket, FrameReader::of_a_stranger))
                    lost(rank, "has ended before all had come");
            missing -= take_in(strangers);
        }
        send_to_all({FrameKind::welcome, {}});
    }

    void wait_for_any(const Socket& listener, const std::vector<Peer>& strangers) const
    {
        std::vector<pollfd> waiting{{listener.get(), POLLIN, 0}};
        for (const std::vector<Peer>* some : {&peers_, &strangers})
            for (const Peer& peer : *some)
                waiting.push_back({peer.socket.get(), POLLIN, 0});
        static_cast<void>(::poll(waiting.data(), waiting.size(), between_looks.count()));
    }

    /// Makes ranks of those strangers who have said who they are: how many. Whoever sends anything
    /// else is no rank of ours.
    unsigned take_in(std::vector<Peer>& strangers)
    {
        unsigned came = 0;
        std::erase_if(strangers, [&](Peer& peer) {
            const bool open = peer.frames.read(peer.socket, FrameReader::of_a_stranger);
            const std::vector<Frame> frames = peer.frames.take();
            if (frames.empty())
                return !open;
            unsigned rank = 0;
            const std::string why = why_refused(frames.front(), rank);
            if (!why.empty() || !open) {
                static_cast<void>(peer.socket.send(Frame{FrameKind::refused, why}.packed()));
                refused_ = why;
                return true;
            }
            peers_[rank] = std::move(peer);
            ++came;
            return true;
        });
        return came;
    }

    /// Empty, and the rank, for one that is awaited.
    [[nodiscard]] std::string why_refused(const Frame& hello, unsigned& rank) const
    {
        const std::vector<std::string> said = unpacked_texts(hello.bytes);
        if (hello.kind != FrameKind::hello || said.size() != 3)
            return "No rank speaks like this.";
        const std::string& number = said[0];
        std::from_chars(number.data(), number.data() + number.size(), rank);
        if (said[1] != std::to_string(own_.size) || said[2] != program_)
            return fmt::format("Rank 0 at {} is one of {} of '{}'; this is one of {} of '{}'. Two "
                               "runs at a time need a MASTER_PORT each.",
                               at_.text(), own_.size, program_, said[1], said[2]);
        if (rank == 0 || rank >= own_.size || peers_[rank].socket)
            return fmt::format(
                "A rank {} is there already: each process needs a number of its own.", rank);
        return {};
    }

    [[noreturn]] void lost_to_all_who_came()
    {
        std::vector<unsigned> missing;
        for (unsigned rank = 1; rank < own_.size; ++rank)
            if (!peers_[rank].socket)
                missing.push_back(rank);
        const std::string sentence = fmt::format(
            "Rank{} {} of {} did not come to {} within {:.3g} s.{} MASTER_ADDR says where rank 0 "
            "is, "
            "MOVING_BYTES_PATIENCE how many seconds all wait.",
            missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), own_.size, at_.text(),
            patience_, refused_.empty() ? "" : " Somebody was sent away: " + refused_);
        send_to_all({FrameKind::lost, sentence});
        end_program(exit_lost, sentence);
    }

    /// Any other rank: until rank 0 says that all have come.
    void find()
    {
        Peer& first = peers_.front();
        const Deadline deadline = after_seconds(patience_);
        while (!(first.socket = Socket::connected(at_, deadline))) {
            if (Steady::now() >= deadline)
                end_program(
                    exit_lost,
                    fmt::format("Rank 0 of {} was not found at {} for {:.3g} s. Is it running, "
                                "and does MASTER_ADDR name its host?",
                                own_.size, at_.text(), patience_));
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        static_cast<void>(first.socket.send(Frame{
            FrameKind::hello, packed_text(std::to_string(own_.rank)) +
                                  packed_text(std::to_string(own_.size)) + packed_text(program_)}
                                                .packed()));
        // Rank 0 may have started later, and waits as long for others.
        const Deadline answered = after_seconds(patience_ + 2);
        for (bool open = true; open && Steady::now() < answered;) {
            pollfd waiting{first.socket.get(), POLLIN, 0};
            static_cast<void>(::poll(&waiting, 1, between_looks.count()));
            open = first.frames.read(first.socket, most_said);
            std::vector<Frame> frames = first.frames.take();
            if (frames.empty())
                continue;
            if (frames.front().kind != FrameKind::welcome)
                end_program(frames.front().kind == FrameKind::refused ? exit_unusable : exit_lost,
                            frames.front().bytes);
            frames.erase(frames.begin());
            for (Frame& frame : frames)
                take(first, 0, std::move(frame));
            return;
        }
        end_program(exit_lost,
                    fmt::format("Rank 0 of {} has ended, or what answers at {} is another "
                                "program: it has not said that all ranks have come.",
                                own_.size, at_.text()));
    }

    // --- once all have come ------------------------------------------------------------------

    void send_to_all(const Frame& frame)
    {
        const std::string packed = frame.packed();
        for (const Peer& peer : peers_) // to a rank that is gone nothing is sent: it is seen to be
            if (peer.socket && !peer.finished)
                static_cast<void>(peer.socket.send(packed));
    }

    void watch()
    {
        const double beat = std::min(1.0, patience_ / 4);
        Steady::time_point woken = Steady::now();
        Steady::time_point beaten = woken;
        while (!leaving_) {
            wait_for_peers();
            const std::lock_guard lock(mutex_);
            const Steady::time_point now = Steady::now();
            if (seconds_between(woken, now) > patience_ / 4) // stopped itself, by Ctrl-Z for one
                for (Peer& peer : peers_)
                    peer.heard = now;
            woken = now;
            for (unsigned rank = 0; rank < peers_.size() && !leaving_; ++rank)
                look_at(rank, now);
            if (seconds_between(beaten, now) > beat) {
                send_to_all({FrameKind::beat, {}});
                beaten = now;
            }
        }
    }

    /// Nobody changes a socket from here on: only its peer's words are guarded.
    void wait_for_peers() const
    {
        std::vector<pollfd> waiting;
        for (const Peer& peer : peers_)
            waiting.push_back({peer.finished ? -1 : peer.socket.get(), POLLIN, 0});
        static_cast<void>(::poll(waiting.data(), waiting.size(), between_looks.count()));
    }

    void look_at(unsigned rank, Steady::time_point now)
    {
        Peer& peer = peers_[rank];
        if (!peer.socket || peer.finished)
            return;
        const bool open = peer.frames.read(peer.socket, most_said);
        for (Frame& frame : peer.frames.take()) {
            peer.heard = now;
            take(peer, rank, std::move(frame));
        }
        changed_.notify_all();
        if (peer.finished)
            return;
        if (!open)
            lost(rank, "has ended before its work was done, and what it printed says why");
        if (seconds_between(peer.heard, now) > patience_)
            lost(rank, fmt::format("has not been heard of for {:.3g} s", patience_));
    }

    void take(Peer& peer, unsigned rank, Frame frame)
    {
        switch (frame.kind) {
        case FrameKind::data:
            peer.said.push_back(std::move(frame.bytes));
            break;
        case FrameKind::farewell:
            peer.finished = true;
            break;
        case FrameKind::lost:
            end_program(exit_lost, frame.bytes);
        case FrameKind::beat:
            break;
        default:
            lost(rank, "does not speak as a rank does");
        }
    }

    Launched own_;
    std::string program_;
    Endpoint at_;
    double patience_;
    std::string refused_; ///< why the last one was
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Peer> peers_; ///< of rank 0 all, by rank; of another rank, rank 0 alone
    std::atomic<bool> leaving_{false};
    std::thread watcher_;
};

Ranks::Ranks() = default;
Ranks::~Ranks() = default;

void Ranks::join(const Launched& as, const std::string& program)
{
    launched_ = as;
    if (size() == 1)
        return;
    sign_messages(fmt::format("Rank {}: ", rank()));
    connections_ = std::make_unique<Connections>(as, program);
}

void Ranks::leave()
{
    connections_.reset();
    launched_ = {};
    meet_ = {};
}

std::vector<std::string> Ranks::exchange(std::string_view where, std::string mine)
{
    if (size() == 1)
        return {std::move(mine)};
    const std::string own = packed_text(std::string(where)) + packed_text(mine);
    if (rank() > 0) {
        connections_->say(own);
        return unpacked_texts(connections_->listen(0));
    }
    std::string all = packed_text(mine);
    for (unsigned other = 1; other < size(); ++other) {
        const std::vector<std::string> said = unpacked_texts(connections_->listen(other));
        if (said.size() != 2 || said[0] != where)
            connections_->lose(other, fmt::format("has come to '{}' where rank 0 is at '{}'",
                                                  said.empty() ? "?" : said[0], where));
        all += packed_text(said[1]);
    }
    connections_->say(all);
    return unpacked_texts(all);
}

std::string Ranks::first_said(std::string_view where, const std::string& mine)
{
    if (size() == 1)
        return mine;
    const std::vector<std::string> all = exchange(where, mine);
    const auto found = std::ranges::find_if(all, [](const auto& text) { return !text.empty(); });
    if (found == all.end() || std::ranges::count(all, *found) == std::ssize(all))
        return mine;
    return fmt::format("rank {}: {}", found - all.begin(), *found);
}

double Ranks::largest(double mine)
{
    if (size() == 1)
        return mine;
    double most = mine;
    // A hexadecimal number comes back as it was.
    for (const std::string& said : exchange("a number", fmt::format("{:a}", mine)))
        most = std::max(most, std::strtod(said.c_str(), nullptr));
    return most;
}

std::uint64_t Ranks::take_sent()
{
    std::uint64_t all = 0;
    for (const std::string& said : exchange("bytes sent", std::to_string(std::exchange(sent_, 0))))
        all += std::strtoull(said.c_str(), nullptr, 10);
    return all;
}

std::string Ranks::address() const
{
    return connections_->address();
}

double Ranks::patience() const
{
    return connections_->patience();
}

void Ranks::lose(unsigned rank)
{
    // Whoever is connected to a lost rank ends for it, too: rank 0 was told first who it was.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    connections_->lose(rank, "has closed its connection");
}

Ranks& ranks()
{
    static Ranks all;
    return all;
}

} // namespace common
