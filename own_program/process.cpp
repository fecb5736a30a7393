#include "own_program/process.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace own_program {
namespace {

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGTERM};

int status_of(int waited)
{
    return WIFEXITED(waited) ? WEXITSTATUS(waited) : 128 + WTERMSIG(waited);
}

int wait_for(pid_t process)
{
    int waited = 0;
    while (waitpid(process, &waited, 0) < 0)
        if (errno != EINTR)
            return 1;
    return status_of(waited);
}

pid_t fork_or_throw()
{
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process < 0)
        throw std::system_error(errno, std::generic_category(), "cannot start another process");
    return process;
}

volatile std::sig_atomic_t worker = 0; ///< the process group that a signal ends

void end_worker(int signal)
{
    kill(-worker, signal);
}

std::string still;            ///< what a signal of the clock says,
unsigned seconds_between = 0; ///< so often

void say_still(int)
{
    const int error = errno;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, still.data(), still.size());
    alarm(seconds_between);
    errno = error;
}

/// A folder that did not exist before. It is locked while a process lives that has it open, so that
/// those of processes that were killed are told from those in use, and removed.
class Scratch
{
  public:
    explicit Scratch(const std::filesystem::path& parent)
    {
        std::error_code none; // a folder that cannot be read has nothing to take away
        for (const auto& left : std::filesystem::directory_iterator(parent, none))
            if (left.path().filename().string().starts_with(beginning) &&
                lock(left.path(), LOCK_EX | LOCK_NB))
                remove(left.path());
        do { // somebody may have taken it for one that was left, between its making and its lock
            path_ = parent / (std::string(beginning) + "XXXXXX");
            if (mkdtemp(path_.data()) == nullptr)
                throw std::filesystem::filesystem_error(
                    "cannot make a folder", path_, std::error_code(errno, std::generic_category()));
            lock(path_, LOCK_EX);
        } while (!std::filesystem::exists(path_));
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { remove(path_); }

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    static constexpr const char* beginning = ".compiling-";

    bool lock(const std::filesystem::path& folder, int how)
    {
        unlock();
        lock_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return lock_ >= 0 && flock(lock_, how) == 0;
    }

    void remove(const std::filesystem::path& folder)
    {
        std::error_code none;
        std::filesystem::remove_all(folder, none);
        unlock();
    }

    void unlock()
    {
        if (lock_ >= 0)
            close(lock_);
        lock_ = -1;
    }

    std::string path_;
    int lock_ = -1;
};

} // namespace

int run(const Command& command, const std::filesystem::path& messages)
{
    const pid_t process = fork_or_throw();
    if (process != 0)
        return wait_for(process);
    const int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0) {
        std::vector<char*> words;
        for (const std::string& word : command)
            words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        execvp(words[0], words.data());
    }
    _exit(127);
}

bool run_at_once(const std::vector<std::function<bool()>>& tasks)
{
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    bool fine = true;
    std::size_t running = 0;
    const auto wait_for_one = [&] {
        int waited = 0;
        if (wait(&waited) > 0)
            --running, fine = fine && status_of(waited) == 0;
    };
    for (const std::function<bool()>& task : tasks) {
        if (running == most)
            wait_for_one();
        if (fork_or_throw() == 0)
            _exit(task() ? 0 : 1);
        ++running;
    }
    while (running != 0)
        wait_for_one();
    return fine;
}

int run_with_folder(const std::filesystem::path& parent,
                    const std::function<int(const std::filesystem::path&)>& work)
{
    const Scratch scratch(parent);
    // Signals are kept back until there is somebody to pass them on.
    sigset_t signals, before;
    sigemptyset(&signals);
    for (const int signal : ending_signals)
        sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t process = fork_or_throw();
    if (process == 0) {
        setpgid(0, 0);
        for (const int signal : ending_signals)
            std::signal(signal, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        int status = 2;
        try {
            status = work(scratch.path());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "run: %s\n", error.what());
        }
        std::fflush(nullptr);
        _exit(status);
    }
    setpgid(process, process);
    worker = process;
    for (const int signal : ending_signals)
        std::signal(signal, end_worker);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    const int status = wait_for(process);
    for (const int signal : ending_signals)
        std::signal(signal, SIG_DFL);
    return status;
}

StillAtWork::StillAtWork(const std::string& sentence, unsigned seconds)
{
    still = sentence + '\n';
    seconds_between = seconds;
    std::signal(SIGALRM, say_still);
    alarm(seconds);
}

StillAtWork::~StillAtWork()
{
    alarm(0);
    std::signal(SIGALRM, SIG_DFL);
}

std::filesystem::path file_in_memory()
{
    const int file = memfd_create("messages", MFD_CLOEXEC);
    if (file < 0)
        throw std::system_error(errno, std::generic_category(), "cannot keep messages");
    return "/proc/self/fd/" + std::to_string(file);
}

std::string read_file(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace own_program
