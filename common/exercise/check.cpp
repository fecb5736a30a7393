#include "common/exercise/check.hpp"

#include "common/device/device.hpp"
#include "common/problem/verify.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace common {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::size_t, 3> small_sizes = {1, 1009, 4097}; ///< 1009 is a prime
constexpr std::size_t large_size = 1000003;                         ///< likewise
constexpr std::size_t measured_size = std::size_t{1} << 26U;
/// Twice as many as the blocks have that are sampled, since nobody says on which side they are.
constexpr std::size_t far_size = std::size_t{1} << 22U;
constexpr std::array<std::uint64_t, 2> seeds = {1, 2};
constexpr int patience = 30; ///< seconds after which an answer that has not ended is ended

int checked(int result, const char* what)
{
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

/// Closes it at the end.
class Descriptor
{
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(number_); }
    operator int() const { return number_; }

  private:
    int number_;
};

std::string contents(int file)
{
    std::string text;
    std::array<char, 4096> part{};
    lseek(file, 0, SEEK_SET);
    for (ssize_t some = 0; (some = read(file, part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(some));
    return text;
}

/// What the process that tries an answer tells the one that waits: a line of JSON after each step.
std::string report(const std::string& now, const std::string& goal_at_stake, const Outcome& outcome)
{
    Json goals = Json::array();
    for (const Goal& goal : outcome.goals)
        goals.push_back({goal.name, goal.text, static_cast<int>(goal.state), goal.evidence});
    return Json{{"now", now},
                {"at stake", goal_at_stake},
                {"goals", goals},
                {"shown", outcome.shown}}
               .dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

/// The last complete report of a text; null where there is none.
Json last_report(const std::string& text)
{
    const std::size_t end = text.rfind('\n');
    if (end == std::string::npos)
        return nullptr;
    const std::size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    const Json report = Json::parse(text.substr(first, end - first), nullptr, false);
    return report.is_discarded() ? nullptr : report;
}

/// Reads what comes until the other side closes; false if that takes too long.
bool read_all(int from, std::string& text)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(patience);
    std::array<char, 4096> part{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        pollfd ready{from, POLLIN, 0};
        const int count = poll(&ready, 1, static_cast<int>(std::max<long>(0, left.count())));
        if (count == 0)
            return false;
        if (count < 0)
            continue; // a signal
        const ssize_t some = read(from, part.data(), part.size());
        if (some <= 0)
            return true;
        text.append(part.data(), static_cast<std::size_t>(some));
    }
}

/// Why a process ended, as the end of a sentence.
std::string cause(int status)
{
    return WIFSIGNALED(status)
               ? fmt::format("it was ended by signal {} ({}).", WTERMSIG(status),
                             strsignal(WTERMSIG(status)))
               : fmt::format("it ended the program itself, with status {}.", WEXITSTATUS(status));
}

constexpr const char* finished = "finished";

} // namespace

const Goal* Outcome::first_missed() const
{
    const auto found = std::find_if(goals.begin(), goals.end(), [](const Goal& goal) {
        return goal.state == Goal::State::missed;
    });
    return found == goals.end() ? nullptr : &*found;
}

/// The process that tries an answer.
class Check
{
  public:
    Check(Goals goals, int to) : state_goals_(goals), to_(to) {}

    /// Lists the goals, then tries the answer until it goes wrong.
    void run()
    {
        attempt(Attempt::Mode::list, 1, 1);
        if (try_small_sizes())
            try_large_sizes();
        tell(finished);
    }

  private:
    using Mode = Attempt::Mode;

    /// False where a goal was missed: at larger sizes a bad answer may take for ever.
    bool try_small_sizes()
    {
        for (const Mode mode : orders())
            for (const std::size_t n : small_sizes)
                for (const std::uint64_t seed : seeds)
                    if (!attempt(mode, n, seed))
                        return false;
        return outcome_.first_missed() == nullptr;
    }

    void try_large_sizes()
    {
        for (const Mode mode : orders())
            if (!attempt(mode, large_size, seeds[mode == Mode::shuffled ? 1 : 0]))
                return;
        if (backend() == Backend::gpu)
            attempt(Mode::measured, measured_size, seeds[0]);
        else if (outcome_.first_missed() == nullptr)
            sample_blocks();
    }

    /// The last of all: what kernels compute is lost from here on.
    void sample_blocks()
    {
        hold_nothing();
        sample_launches();
        if (any([](const Goal& goal) { return goal.name == "copy_share"; }))
            attempt(Mode::modelled, measured_size, seeds[0]);
        if (any([](const Goal& goal) { return goal.state == Goal::State::unchecked; }))
            attempt(Mode::far, far_size, seeds[0]);
    }

    template<class Which>
    [[nodiscard]] bool any(Which which) const
    {
        return std::any_of(outcome_.goals.begin(), outcome_.goals.end(), which);
    }

    /// What order lanes run in is not for us to say on a GPU.
    static std::vector<Mode> orders()
    {
        return backend() == Backend::gpu ? std::vector{Mode::ascending}
                                         : std::vector{Mode::ascending, Mode::shuffled};
    }

    /// False if there is no point in going on.
    bool attempt(Mode mode, std::size_t n, std::uint64_t seed)
    {
        Attempt attempt(outcome_.goals, mode, n, seed);
        attempt.tell_ = [this](const std::string& now, const std::string& goal) {
            tell(now, goal);
        };
        tell(attempt.when());
        bool goes_on = true;
        try {
            state_goals_(attempt);
        } catch (const Attempt::Stop&) {
            goes_on = false;
        }
        if (!attempt.shown_.empty())
            outcome_.shown = attempt.shown_;
        return goes_on;
    }

    void tell(const std::string& now, const std::string& goal_at_stake = "runs") const
    {
        const std::string text = report(now, goal_at_stake, outcome_);
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t some = write(to_, text.data() + sent, text.size() - sent);
            if (some < 0)
                checked(-1, "Telling what was found");
            sent += static_cast<std::size_t>(some);
        }
    }

    Goals state_goals_;
    int to_;
    Outcome outcome_;
};

namespace {

[[noreturn]] void try_answer(Goals goals, int to)
{
    int status = 0;
    try {
        Check(goals, to).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        status = 1;
    }
    std::fflush(nullptr);
    _exit(status); // no destructors: those of the other process run there
}

} // namespace

Outcome check_answer(Goals goals)
{
    const Descriptor messages(checked(memfd_create("messages", MFD_CLOEXEC), "A file in memory"));
    std::array<int, 2> ends{};
    checked(pipe2(ends.data(), O_CLOEXEC), "A pipe");
    const Descriptor from(ends[0]);
    std::fflush(nullptr);
    const pid_t child = checked(fork(), "A process of its own for the answer");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a loop without an end goes when this process goes
        dup2(messages, STDERR_FILENO);
        try_answer(goals, ends[1]);
    }
    close(ends[1]);
    std::string text;
    const bool ended = read_all(from, text);
    if (!ended)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }

    Outcome outcome;
    const Json last = last_report(text);
    if (last.is_object()) {
        for (const Json& goal : last["goals"])
            outcome.goals.push_back({goal[0], goal[1], goal[2].get<Goal::State>(), goal[3]});
        outcome.shown = last["shown"];
    }
    const std::string said = contents(messages);
    if (last.is_object() && last["now"] == finished) {
        std::fputs(said.c_str(), stderr);
        return outcome;
    }
    if (outcome.goals.empty()) // it ended before it could list them
        outcome.goals.push_back({"runs", "runs to its end without a fault", {}, {}});
    const auto at_stake =
        std::find_if(outcome.goals.begin(), outcome.goals.end(), [&](const Goal& goal) {
            return last.is_object() && last["at stake"] == goal.name;
        });
    Goal& missed = at_stake == outcome.goals.end() ? outcome.goals.front() : *at_stake;
    if (!ended && &missed != &outcome.goals.front()) { // a sample of a loop that is too long
        missed.state = Goal::State::elsewhere;
        missed.evidence = fmt::format("not told within {} seconds", patience);
        return outcome;
    }
    missed.state = Goal::State::missed;
    missed.evidence = last.is_object() ? last["now"].get<std::string>() : "";
    missed.evidence +=
        !ended
            ? fmt::format("it was still running after {} seconds; does a loop not end?", patience)
        : said.empty() ? cause(status)
                       : said.substr(0, said.find_last_not_of('\n') + 1);
    return outcome;
}

} // namespace common
