#include "common/text/terminal.hpp"

#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>

namespace common {

namespace {

/// Read by the signal handler.
std::atomic<bool> progress_shown{false};

std::size_t width_of(int file, std::size_t otherwise)
{
    winsize size{};
    return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

extern "C" void on_interrupt(int signal)
{
    remove_temporary_file();
    // The progress line stays as it is, and the shell's prompt goes below it.
    if (progress_shown && ::write(STDERR_FILENO, "\n", 1) < 0)
        ::_exit(1);
    ::_exit(128 + signal);
}

[[noreturn]] void on_terminate()
{
    std::string message = "The program ended by an exception that says nothing.";
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

void Progress::show(const std::string& text)
{
    if (::isatty(STDERR_FILENO) == 0)
        return;
    progress_shown = true;
    // The last column stays free: some terminals wrap as soon as it is written.
    std::fprintf(stderr, "\r\033[K%s", shorten(text, width_of(STDERR_FILENO, 80) - 1).c_str());
    std::fflush(stderr);
}

void Progress::clear()
{
    if (progress_shown.exchange(false)) {
        std::fputs("\r\033[K", stderr);
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
    std::set_terminate(on_terminate);
}

void end_program(int status, const std::string& message)
{
    Progress().clear();
    remove_temporary_file();
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", message.c_str());
    // Destructors of device memory would fail after a CUDA error, and have nothing to say.
    std::_Exit(status);
}

bool print(const std::string& text)
{
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
           std::fflush(stdout) == 0;
}

} // namespace common
