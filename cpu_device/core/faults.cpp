#include "core/faults.hpp"

#include "core/arena.hpp"
#include "core/executor.hpp"
#include "core/host.hpp"
#include "core/kernels.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <set>

namespace cpu_device {

namespace {

[[noreturn]] void end_with(const std::string& sentence)
{
    static std::atomic_flag reported;
    if (reported.test_and_set())
        for (;;)
            reported.wait(true); // another thread is at it; one report is enough
    // What the program printed before belongs before the report.
    std::cout.flush();
    std::fflush(stdout);
    settings().before_fault();
    std::fputs((sentence + "\n").c_str(), stderr);
    std::fflush(stderr);
    ::quick_exit(fault_status);
}

} // namespace

void report_bad_division()
{
    const Untraced untraced;
    if (current_worker != nullptr)
        fault("divides an integer by zero.");
}

void report_bad_access(std::uintptr_t address, const char* verb)
{
    const Untraced untraced;
    if (current_worker != nullptr) {
        if (current_worker->scheduler().stacks().in_guard(address))
            fault(
                "stack overflow: a thread has " + std::to_string(StackPool::stack_bytes / 1024) +
                " KiB of local memory; use smaller arrays or less recursion, or look for an index "
                "past the end of an array.");
        // The processor refuses an address that is not canonical without telling it.
        fault(address == 0 ? std::string("uses a null pointer or an invalid address.")
                           : verb + describe_address(address) + ".");
    }
    if (!arena().contains(address)) { // a mistake of the host's own; others tell of it as they do
        if (!settings().watchful)
            return;
        const std::string sentence =
            std::string("Host code ") + verb + hexadecimal(address) +
            (address < null_bytes
                 ? ", a null pointer: an error in the host code." + settings().advice_on_bad_access
                 : ", where the program has no memory: an error in the host code, such as a local "
                   "array larger than the stack, or a copy larger than its array on the "
                   "host.") +
            "\n";
        std::fflush(stdout); // what was printed last helps to find the place
        std::fputs(sentence.c_str(), stderr);
        return;
    }
    const std::string place = describe_address(address);
    const std::string line = host::source_line(host::callers());
    const std::string subject =
        "Host code " + (line.empty() ? "" : "at " + line + " ") + std::string(verb);
    // What the host may use does not fault inside an allocation.
    if (place.starts_with("inside allocation"))
        end_with(subject + "device memory, " + place +
                 "; the host cannot reach it: copy it with cudaMemcpy.");
    const auto after = nearest_allocation(reinterpret_cast<void*>(address + 2 * sizeof(address)));
    end_with(subject + "memory " + place + "." +
             (after && after->begin > address
                  ? " Does it free() that? cudaFree() frees what cudaMalloc() allocates."
                  : ""));
}

void advise(SourceLine where, const std::string& what)
{
    const Untraced untraced;
    static std::mutex& mutex = *new std::mutex;
    static auto& said = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    if (!said.insert(to_string(where)).second)
        return;
    const std::string sentence = current_worker->whereabouts() + ": " + what;
    std::fputs((sentence + "\n").c_str(), stderr);
    current_worker->note_advice(sentence);
}

void fault(const std::string& what)
{
    const Untraced untraced;
    if (current_worker == nullptr)
        end_with(what);
    std::string text = current_worker->whereabouts() + ": " + what;
    if (const auto error = unread_error())
        text += " Before that, the call" + error->text + ", which the program did not check.";
    end_with(text);
}

std::string to_string(const Dimensions& index)
{
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
           std::to_string(index.z) + ")";
}

Dimensions unravel(std::uint64_t number, const Dimensions& size)
{
    return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
            static_cast<unsigned>(number / size.x / size.y)};
}

std::string name_of(const LaunchConfiguration& launch)
{
    return std::string("kernel ") + launch.kernel + " (launched at " +
           to_string(SourceLine{launch.file, launch.line}) + ")";
}

std::string at_line(std::uintptr_t pc)
{
    const std::string line = host::source_line({pc});
    return line.empty() ? line : " at " + line;
}

std::string to_string(const SourceLine& where)
{
    const char* slash = std::strrchr(where.file, '/');
    return std::string(slash == nullptr ? where.file : slash + 1) + ":" +
           std::to_string(where.line);
}

std::string hexadecimal(std::uint64_t number, unsigned least_digits)
{
    std::string text;
    for (; number != 0 || text.size() < least_digits; number >>= 4)
        text.insert(text.begin(), "0123456789abcdef"[number & 0xFu]);
    return "0x" + text;
}

} // namespace cpu_device
