#include "common/text/terminal.hpp"

#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace common {

namespace {

/// Columns of the progress line that is shown; 0 for none. Read by the signal handler.
std::atomic<std::size_t> progress_columns{0};

/// In front of what end_program() prints. Never destroyed: a thread may end the program late.
std::string& signature()
{
    static auto* const who = new std::string;
    return *who;
}

/// Called by end_program(), where several processes end together.
void (*end_of_all)(int status) = nullptr;

std::size_t width_of(int file, std::size_t otherwise)
{
    winsize size{};
    return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

extern "C" void on_interrupt(int signal)
{
    remove_temporary_file();
    // The progress line stays as it is, and the shell's prompt goes below it.
    if (progress_columns > 0 && ::write(STDERR_FILENO, "\n", 1) < 0)
        ::_exit(1);
    ::_exit(128 + signal);
}

[[noreturn]] void on_terminate()
{
    std::string message = "The program ended with an unknown exception.";
    try {
        if (const std::exception_ptr exception = std::current_exception())
            std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
        message = "Out of host memory; try a smaller --n, such as --n 1Mi.";
    } catch (const std::exception& error) {
        message = error.what();
    } catch (...) {
    }
    end_program(5, message);
}

} // namespace

std::size_t output_width()
{
    constexpr std::size_t of_a_file = 200; // no terminal wraps it
    return ::isatty(STDOUT_FILENO) == 0 ? of_a_file : width_of(STDOUT_FILENO, 100);
}

// Blanks, not an escape sequence, take the rest of an older line away: any terminal that goes back
// to the start of its line will do, and nobody who requests none (NO_COLOR) is sent one.
void Progress::show(const std::string& text)
{
    const char* const terminal = std::getenv("TERM");
    if (::isatty(STDERR_FILENO) == 0 || (terminal != nullptr && std::string(terminal) == "dumb"))
        return;
    // The last column stays free: some terminals wrap as soon as it is written.
    const std::string line = shorten(text, width_of(STDERR_FILENO, 80) - 1);
    const std::size_t columns = display_width(line);
    const std::size_t before = progress_columns.exchange(columns);
    const std::string blanks(std::max(before, columns) - columns, ' ');
    std::fprintf(stderr, "\r%s%s", line.c_str(), blanks.c_str());
    std::fflush(stderr);
}

void Progress::clear()
{
    if (const std::size_t columns = progress_columns.exchange(0); columns > 0) {
        std::fprintf(stderr, "\r%s\r", std::string(columns, ' ').c_str());
        std::fflush(stderr);
    }
}

void install_handlers()
{
    struct sigaction interrupt
    {};
    interrupt.sa_handler = on_interrupt;
    sigemptyset(&interrupt.sa_mask);
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGTERM, &interrupt, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    std::set_terminate(on_terminate);
}

std::string printable(std::string words)
{
    std::ranges::replace_if(
        words, [](unsigned char letter) { return letter != '\n' && std::iscntrl(letter) != 0; },
        '?');
    return words;
}

void set_message_prefix(std::string prefix, void (*end)(int status))
{
    signature() = std::move(prefix);
    end_of_all = end;
}

void end_program(int status, const std::string& message)
{
    Progress().clear();
    remove_temporary_file();
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", printable(signature() + message).c_str());
    if (end_of_all != nullptr)
        end_of_all(status);
    // Destructors of device memory would fail after a CUDA error, and have nothing to say.
    std::_Exit(status);
}

bool print(const std::string& text)
{
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
           std::fflush(stdout) == 0;
}

} // namespace common
