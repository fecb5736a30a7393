#include "engine/faults.hpp"

#include "engine/executor.hpp"
#include "engine/memory.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <set>
#include <string>

namespace cpu_device {

namespace {

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE};
constexpr std::size_t signal_stack_bytes = 64 * 1024;

std::array<struct sigaction, signals.size()> handlers_before;

[[noreturn]] void end_with(const std::string& sentence)
{
    static std::atomic_flag reported;
    if (reported.test_and_set())
        for (;;)
            pause(); // another thread is at it; one report is enough
    // What the program printed before belongs before the report.
    std::cout.flush();
    std::fflush(stdout);
    std::fputs((sentence + "\n").c_str(), stderr);
    std::fflush(stderr);
    std::_Exit(fault_status);
}

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

void on_signal(int number, siginfo_t* info, void* context)
{
    const Untraced untraced;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (current_worker != nullptr) {
        if (number == SIGFPE)
            fault("divides an integer by zero.");
        if (current_worker->below_stack(address))
            fault(
                "stack overflow: a thread has " + std::to_string(StackPool::stack_bytes / 1024) +
                " KiB of local memory; use smaller arrays or less recursion, or look for an index "
                "past the end of one.");
        // The kernel signals an address that is not canonical without telling it.
        fault(address == 0 ? std::string("uses a null pointer or an invalid address.")
                           : verb_of(context) + describe_address(address, 1) + ".");
    }
    if (number == SIGSEGV && in_arena(address)) {
        const std::string place = describe_address(address, 1);
        const std::string subject = std::string("Host code ") + verb_of(context);
        // What the host may use does not fault inside an allocation.
        if (place.starts_with("inside allocation"))
            end_with(subject + "device memory, " + place +
                     "; the host cannot reach it: copy it with cudaMemcpy.");
        end_with(subject + "memory " + place + ".");
    }
    // Not ours: whoever was there before gets the signal when the instruction runs again.
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i] == number)
            sigaction(number, &handlers_before[i], nullptr);
}

} // namespace

void install_fault_handlers()
{
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &action, &handlers_before[i]);
    });
}

stack_t prepare_thread_for_faults(std::vector<std::byte>& stack)
{
    stack.resize(signal_stack_bytes);
    stack_t description = {};
    description.ss_sp = stack.data();
    description.ss_size = stack.size();
    stack_t before = {};
    sigaltstack(&description, &before);
    return before;
}

void advise(SourceLine where, const std::string& what)
{
    const Untraced untraced;
    static std::mutex& mutex = *new std::mutex;
    static auto& said = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    if (said.insert(to_string(where)).second)
        std::fputs((current_worker->whereabouts() + ": " + what + "\n").c_str(), stderr);
}

void fault(const std::string& what)
{
    const Untraced untraced;
    end_with(current_worker == nullptr ? what : current_worker->whereabouts() + ": " + what);
}

} // namespace cpu_device
