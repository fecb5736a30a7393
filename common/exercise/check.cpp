#include "common/exercise/check.hpp"

#include "common/exercise/trial.hpp"

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
#include <ctime>
#include <system_error>

namespace common {

namespace {

using Json = nlohmann::json;

/// Seconds after which an answer that has not ended is ended, if its process has computed as long:
/// on a busy machine it has to wait for processors.
constexpr int patience = 30;
constexpr int longest = 100; ///< and the seconds after which it is ended whatever it does

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

/// Processor time of all threads of a process.
std::chrono::seconds computed(pid_t process)
{
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return {};
    return std::chrono::seconds(time.tv_sec);
}

/// Reads what comes until the process closes its side; false if that takes too long.
bool read_all(int from, pid_t process, std::string& text)
{
    const auto start = std::chrono::steady_clock::now();
    std::array<char, 4096> part{};
    for (;;) {
        const auto passed = std::chrono::steady_clock::now() - start;
        if (passed >= std::chrono::seconds(longest) ||
            std::min<std::chrono::nanoseconds>(passed, computed(process)) >=
                std::chrono::seconds(patience))
            return false;
        pollfd ready{from, POLLIN, 0};
        if (poll(&ready, 1, 100) <= 0)
            continue; // nothing yet, or a signal
        const ssize_t some = read(from, part.data(), part.size());
        if (some <= 0)
            return true;
        text.append(part.data(), static_cast<std::size_t>(some));
    }
}

/// Why a process ended, as the end of a sentence.
std::string cause(int status)
{
    return WIFSIGNALED(status) ? fmt::format("it was killed by signal {} ({}).", WTERMSIG(status),
                                             strsignal(WTERMSIG(status)))
                               : fmt::format("it exited with status {}.", WEXITSTATUS(status));
}

void send(const std::string& text, int to)
{
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t some = write(to, text.data() + sent, text.size() - sent);
        if (some < 0)
            checked(-1, "Telling what was found");
        sent += static_cast<std::size_t>(some);
    }
}

[[noreturn]] void try_answer(Goals goals, int to)
{
    int status = 0;
    try {
        try_answer(goals, [to](const std::string& report, const Outcome&) { send(report, to); });
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
    const bool ended = read_all(from, child, text);
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
        const Goal* const missed = outcome.first_missed();
        if (missed == nullptr || missed->evidence.find(said.substr(0, said.find_last_not_of('\n') +
                                                                          1)) == std::string::npos)
            std::fputs(said.c_str(), stderr);
        return outcome;
    }
    if (outcome.goals.empty()) // it ended before it could list them
        outcome.goals.push_back({"runs", "runs to completion without a fault", {}, {}});
    const auto at_stake =
        std::find_if(outcome.goals.begin(), outcome.goals.end(), [&](const Goal& goal) {
            return last.is_object() && last["at stake"] == goal.name;
        });
    Goal& missed = at_stake == outcome.goals.end() ? outcome.goals.front() : *at_stake;
    if (!ended && &missed != &outcome.goals.front()) { // a sample of a loop that is too long
        missed.state = Goal::State::elsewhere;
        missed.evidence = fmt::format("not checked within {} seconds", patience);
        return outcome;
    }
    missed.state = Goal::State::missed;
    missed.evidence = last.is_object() ? last["now"].get<std::string>() : "";
    missed.evidence +=
        !ended ? fmt::format("it was still running after {} seconds; is a loop endless?", patience)
        : said.empty() ? cause(status)
                       : said.substr(0, said.find_last_not_of('\n') + 1);
    return outcome;
}

} // namespace common
