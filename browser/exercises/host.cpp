/// \file
/// core/host.hpp for a browser: one thread, memory that cannot be put out of reach (accesses.cpp
/// looks at each address instead), and a program of which its linker has told. WebAssembly has no
/// stacks to switch between. Where threads wait for each other, this module and the program have
/// therefore gone through Binaryen's Asyncify, and the page can leave a call half done
/// (checking.js).
#include "browser/exercises/host.hpp"

#include "browser/exercises/page.hpp"
#include "common/problem/parallel.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "cpu_device/detail/engine.hpp"

#include <cxxabi.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

/// Calls figures_fiber() on a stack; false if it was left. `engine`, `program`: see Frames.
IMPORT(enter) bool page_enter(void* fiber, void* stack, void* engine, void* program, bool again);
/// Leaves the call of page_enter(), which returns false; returns when it is entered again.
IMPORT(leave) void page_leave(void* engine, void* program);

namespace cpu_device::host {

namespace {

constexpr std::size_t page = 4096;
enum class Page : char
{
    unknown, ///< nobody has reserved it
    closed,
    open
};
std::vector<Page> pages(std::size_t{1} << 20); ///< of all addresses

void set_pages(void* begin, std::size_t bytes, Page state)
{
    const std::size_t first = reinterpret_cast<std::uintptr_t>(begin) / page;
    for (std::size_t number = first; number < first + (bytes + page - 1) / page; ++number)
        pages[number] = state;
}

/// What is known of the program.
struct Program
{
    std::string file;
    std::vector<unsigned> lines; ///< of each number that the program tells
    Range data, shared, constants;
    std::vector<Range> others;
    std::vector<Symbol> variables;   ///< of `shared`
    void* (*stack)(void*) = nullptr; ///< sets its stack pointer, and returns the one before
    bool linked = false;             ///< with this module, whose stack is its own
};
Program program;

/// Where Asyncify keeps the frames of a call that was left: this module's, and the program's.
struct Frames
{
    static constexpr std::size_t bytes = 16 * 1024;
    struct Buffer
    {
        std::byte* next = frames;
        std::byte* end = frames + bytes;
        std::byte frames[bytes];
    } engine, program;
    static constexpr std::size_t stack_bytes = 32 * 1024;
    alignas(16) std::byte stack[stack_bytes]; ///< of this module
};

class PageFiber final : public Fiber
{
  public:
    PageFiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
        : stack_(stack + bytes / 16 * 16), work_(std::move(work))
    {
        if (fibers_suspend())
            frames_.reset(new Frames); // which need not be zero
    }
    void resume() override
    {
        for (PageFiber* fiber = this; fiber != nullptr;
             fiber = std::exchange(fiber->next_, nullptr))
            fiber->go_on();
    }
    void go_on()
    {
        const bool again = std::exchange(suspended_, true);
        void* const before = program.stack(again ? left_at_ : stack_);
        if (frames_ == nullptr) {
            work_();
            suspended_ = false;
        } else if (page_enter(this, program.linked ? stack_ : frames_->stack + Frames::stack_bytes,
                              &frames_->engine, &frames_->program, again)) {
            suspended_ = false;
        }
        void* const left_at = program.stack(before);
        if (suspended_)
            left_at_ = left_at;
    }
    void suspend() override
    {
        if (frames_ == nullptr)
            fault("waits for other threads, which is not supported in this page.");
        page_leave(&frames_->engine, &frames_->program);
    }
    void suspend_for(Fiber& other) override
    {
        next_ = static_cast<PageFiber*>(&other);
        suspend();
    }
    void work() { work_(); }

  private:
    PageFiber* next_ = nullptr; ///< that goes on when this one's frames are put away
    std::byte* stack_;
    void* left_at_ = nullptr; ///< the program's stack pointer
    std::function<void()> work_;
    std::unique_ptr<Frames> frames_;
};

} // namespace

bool can_be_used(std::uintptr_t address, std::size_t bytes)
{
    if (address >= program_begin_address && address < program_end)
        return true;
    for (const std::uintptr_t byte : {address, address + bytes - 1})
        if (byte < program_end || pages[byte / page] == Page::closed ||
            (pages[byte / page] == Page::unknown && in_kernel()))
            return false;
    return true;
}

std::size_t addresses_of_device = std::size_t{1} << 30;

std::size_t device_addresses()
{
    return addresses_of_device;
}

void* reserve(std::size_t bytes, std::uintptr_t /*wanted*/)
{
    const std::size_t whole = (bytes + page - 1) / page * page;
    constexpr std::size_t grown = 1 << 16; // a page of WebAssembly
    void* begin = nullptr;
    if (bytes > PTRDIFF_MAX) { // which no heap hands out
        const std::size_t first = __builtin_wasm_memory_grow(0, bytes / grown);
        begin = first == SIZE_MAX ? nullptr : reinterpret_cast<void*>(first * grown);
    } else {
        begin = std::aligned_alloc(page, whole);
    }
    if (begin != nullptr)
        set_pages(begin, bytes, Page::closed);
    // A browser takes milliseconds for each growth of a memory as large as that: the heap, with the
    // stacks of a block's threads, grows once. No compiler may leave that out.
    if (bytes >= addresses_of_device) {
        void* volatile heap = std::malloc(std::size_t{416} << 20);
        std::free(heap);
    }
    return begin;
}

void unreserve(void* begin, std::size_t bytes)
{
    set_pages(begin, bytes, Page::unknown);
    std::free(begin);
}

bool commit(void* begin, std::size_t bytes)
{
    set_pages(begin, bytes, Page::open);
    return true;
}

void make_inaccessible(void* begin, std::size_t bytes)
{
    set_pages(begin, bytes, Page::closed);
}

void discard(void* begin, std::size_t bytes)
{
    make_inaccessible(begin, bytes);
}

void advise_huge_pages(void*, std::size_t) {}

void make_read_only(void*, std::size_t) {}

std::vector<unsigned char> resident(void*, std::size_t)
{
    return {};
}

std::size_t page_bytes()
{
    return page;
}

std::size_t memory_bytes()
{
    return std::size_t{1} << 30;
}

bool fibers_suspend()
{
    return page_suspends();
}

std::unique_ptr<Fiber> make_fiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
{
    return std::make_unique<PageFiber>(stack, bytes, std::move(work));
}

std::size_t processors()
{
    return 1;
}

double thread_seconds()
{
    return 0;
}

void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& work)
{
    for (std::size_t thread = 0; thread < threads; ++thread)
        work(thread);
}

void run_together(std::size_t threads,
                  const std::function<std::function<void()>(std::size_t thread,
                                                            std::function<void()> meet)>& make,
                  const std::function<void(std::size_t threads, const std::string& why)>& fail)
{
    if (threads > 1)
        fail(1, "a page has no others");
    make(0, [] {})();
}

void look_every(std::chrono::milliseconds, std::function<void()>) {} // the page has a limit
void watch_for_faults() {}

void describe_program(const std::string& json)
{
    const auto told = nlohmann::json::parse(json);
    const auto range = [](const nlohmann::json& one) {
        return Range{one[0].get<std::uintptr_t>(), one[1].get<std::size_t>()};
    };
    program = {};
    program.file = told["file"];
    program.lines = told["lines"].get<std::vector<unsigned>>();
    program.data = range(told["data"]);
    program.shared = range(told["shared"]);
    program.constants = range(told["constants"]);
    for (const auto& other : told["others"])
        program.others.push_back(range(other));
    for (const auto& variable : told["variables"])
        program.variables.push_back({variable[0], variable[1], variable[2]});
    program.stack = reinterpret_cast<void* (*)(void*)>(told["stack"].get<std::uintptr_t>());
    program.linked = told["linked"];
    if (program.linked) // among what is this module's own
        set_pages(reinterpret_cast<void*>(program.shared.begin), program.shared.bytes, Page::open);
}

std::vector<Symbol> read_symbols(SymbolKind kind)
{
    return kind == SymbolKind::thread_variable ? program.variables : std::vector<Symbol>();
}

std::string demangled(const std::string& name)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> buffer(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    std::string text = buffer == nullptr ? name : buffer.get();
    static constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at = 0; (at = text.find(unnamed, at)) != std::string::npos;)
        text.erase(at, unnamed.size());
    return text;
}

std::uintptr_t program_begin()
{
    return 0;
}
Range program_data()
{
    return program.data;
}
std::vector<Range> other_data()
{
    return program.others;
}
Range thread_variables()
{
    return program.shared;
}
Range constant_data()
{
    return program.constants;
}

std::vector<std::uintptr_t> callers()
{
    return {};
}

std::string source_line(const std::vector<std::uintptr_t>& callers)
{
    for (const std::uintptr_t pc : callers)
        if (pc < program.lines.size() && program.lines[pc] != 0)
            return program.file + ":" + std::to_string(program.lines[pc]);
    return "";
}

} // namespace cpu_device::host

__attribute__((visibility("default"))) void
common::parallel_for(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t first, std::size_t last)>& work)
{
    for (std::size_t first = 0; first < count; first += grain)
        work(first, std::min(first + grain, count));
}

/// What page_enter() calls.
EXPORT(figures_fiber) void figures_fiber(cpu_device::host::Fiber* fiber)
{
    static_cast<cpu_device::host::PageFiber*>(fiber)->work();
}
