/// \file
/// Signals of bad accesses and divisions.
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/unfinished.hpp"
#include "host/threads.hpp"

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <new>

namespace cpu_device::host {

namespace {

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE};
constexpr std::size_t signal_stack_bytes = 64 * 1024;

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

SignalStack::SignalStack() : stack_(std::make_unique_for_overwrite<std::byte[]>(signal_stack_bytes))
{
    stack_t description = {};
    description.ss_sp = stack_.get();
    description.ss_size = signal_stack_bytes;
    sigaltstack(&description, &before_);
}

SignalStack::~SignalStack()
{
    sigaltstack(&before_, nullptr);
}

} // namespace cpu_device::host
