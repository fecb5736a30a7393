/// \file
/// Threads, by the standard library's, and the signals of their bad accesses and divisions.
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/memory.hpp"

#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace cpu_device::host {

namespace {

/// While one lives, the calling thread reports an overflow of its stack on another one.
class SignalStack
{
  public:
    SignalStack()
    {
        stack_t description = {};
        description.ss_sp = stack_.get();
        description.ss_size = bytes;
        sigaltstack(&description, &before_);
    }
    ~SignalStack() { sigaltstack(&before_, nullptr); }
    SignalStack& operator=(SignalStack&&) = delete;

  private:
    static constexpr std::size_t bytes = 64 * 1024;

    std::unique_ptr<std::byte[]> stack_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    stack_t before_{}; ///< that the thread had, and gets back
};

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE};

std::array<struct sigaction, signals.size()> handlers_before;

const char* verb_of([[maybe_unused]] void* context)
{
#if defined(__x86_64__)
    // Bit 1 of the page fault's error code: a write.
    const auto* registers = &static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    return ((*registers)[REG_ERR] & 2) != 0 ? "writes to " : "reads from ";
#else
    return "uses ";
#endif
}

/// Behind the first byte of the instruction, as a call's return address is behind the call.
std::uintptr_t pc_of([[maybe_unused]] void* context)
{
#if defined(__x86_64__)
    const auto* registers = &static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    return static_cast<std::uintptr_t>((*registers)[REG_RIP]) + 1;
#elif defined(__aarch64__)
    return static_cast<ucontext_t*>(context)->uc_mcontext.pc + 1;
#else
    return 0;
#endif
}

void on_signal(int number, siginfo_t* info, void* context)
{
    if (number == SIGSEGV &&
        is_unfinished(reinterpret_cast<std::uintptr_t>(info->si_addr), pc_of(context)))
        return;
    if (number == SIGFPE)
        report_bad_division();
    else
        report_bad_access(reinterpret_cast<std::uintptr_t>(info->si_addr), verb_of(context));
    // Not ours: whoever was there before gets the signal when the instruction runs again.
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i] == number)
            sigaction(number, &handlers_before[i], nullptr);
}

} // namespace

void watch_for_faults()
{
    static std::once_flag once;
    std::call_once(once, [] {
        // For the thread of main(), whose stack may be what has overflowed. Never destroyed: the
        // destructors at the end of the program may fail as well.
        alignas(SignalStack) static std::array<std::byte, sizeof(SignalStack)> stack;
        new (stack.data()) SignalStack;
        struct sigaction action = {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &action, &handlers_before[i]);
    });
}

std::size_t processors()
{
    // Which reads files of the system, each time.
    static const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    return count;
}

double thread_seconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& work)
{
    const auto watched = [&work](std::size_t thread) {
        const SignalStack stack;
        work(thread);
    };
    // For this call alone: OpenMP's, which wait for the next one awake, took nine tenths of the
    // processors' time where launches are small.
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread)
        others.emplace_back(watched, thread);
    watched(0);
}

void run_together(std::size_t threads,
                  const std::function<std::function<void()>(std::size_t thread,
                                                            std::function<void()> meet)>& make,
                  const std::function<void(std::size_t threads, const std::string& why)>& fail)
{
    std::barrier<> barrier(static_cast<std::ptrdiff_t>(threads));
    const auto meet = [&barrier] { barrier.arrive_and_wait(); };
    std::vector<std::jthread> running;
    try {
        for (std::size_t thread = 0; thread < threads; ++thread)
            running.emplace_back([&barrier, work = make(thread, meet)] {
                barrier.arrive_and_wait(); // none begins unless all can
                const SignalStack stack;
                work();
                barrier.arrive_and_drop();
            });
    } catch (const std::exception& error) { // the others wait for it, and would for ever
        fail(running.size(), error.what());
    }
}

void look_every(std::chrono::milliseconds time, std::function<void()> look)
{
    std::thread([time, look = std::move(look)] {
        for (;;) {
            std::this_thread::sleep_for(time);
            look();
        }
    }).detach();
}

} // namespace cpu_device::host
