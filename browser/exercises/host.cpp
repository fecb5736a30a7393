/// \file
/// core/host.hpp for a browser: one thread, memory that cannot be put out of reach (accesses.cpp
/// looks at each address instead), and no program whose symbols could be read. Kernels that wait
/// for each other would need stacks to switch between, which WebAssembly does not have.
#include "browser/exercises/host.hpp"

#include "common/problem/parallel.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

namespace cpu_device::host {

namespace {

constexpr std::size_t page = 4096;
std::vector<bool> open_pages(std::size_t{1} << 20); ///< of all addresses

void set_pages(void* begin, std::size_t bytes, bool open)
{
    const std::size_t first = reinterpret_cast<std::uintptr_t>(begin) / page;
    for (std::size_t number = first; number < first + (bytes + page - 1) / page; ++number)
        open_pages[number] = open;
}

class NoFiber final : public Fiber
{
  public:
    explicit NoFiber(std::function<void()> work) : work_(std::move(work)) {}
    void resume() override { work_(); }
    void suspend() override { fault("waits for other threads, which it cannot do in a browser."); }

  private:
    std::function<void()> work_;
};

class NobodyElse final : public Meeting
{
    void wait() override {}
};

} // namespace

bool can_be_used(std::uintptr_t address, std::size_t bytes)
{
    return open_pages[address / page] && open_pages[(address + bytes - 1) / page];
}

void* reserve(std::size_t bytes)
{
    return std::aligned_alloc(page,
                              (bytes + page - 1) / page * page); // untouched, it costs nothing
}

void give_back(void* begin, std::size_t bytes)
{
    close(begin, bytes);
    std::free(begin);
}

bool open(void* begin, std::size_t bytes)
{
    set_pages(begin, bytes, true);
    return true;
}

void close(void* begin, std::size_t bytes)
{
    set_pages(begin, bytes, false);
}

void discard(void* begin, std::size_t bytes)
{
    close(begin, bytes);
}

void expect_much_use(void*, std::size_t) {}

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
    return false;
}

std::unique_ptr<Fiber> make_fiber(std::byte*, std::size_t, std::function<void()> work)
{
    return std::make_unique<NoFiber>(std::move(work));
}

std::size_t processors()
{
    return 1;
}

void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& work)
{
    for (std::size_t thread = 0; thread < threads; ++thread)
        work(thread);
}

void run_together(
    std::size_t,
    const std::function<std::function<void()>(std::size_t thread, Meeting& meeting)>& make,
    const std::function<void(std::size_t threads, const std::string& why)>&)
{
    NobodyElse meeting;
    make(0, meeting)();
}

void look_every(std::chrono::milliseconds, std::function<void()>) {} // the page has a limit
void watch_for_faults() {}

std::vector<Symbol> read_symbols(SymbolKind)
{
    return {};
}
std::string demangled(const std::string& name)
{
    return name;
}
std::uintptr_t program_begin()
{
    return 0;
}
Range program_data()
{
    return {};
}
std::vector<Range> other_data()
{
    return {{answer_begin, answer_end - answer_begin}};
}
Range thread_variables()
{
    return {};
}
std::string source_line(std::uintptr_t)
{
    return {};
}

} // namespace cpu_device::host

void common::parallel_for(std::size_t count, std::size_t grain,
                          const std::function<void(std::size_t first, std::size_t last)>& work)
{
    for (std::size_t first = 0; first < count; first += grain)
        work(first, std::min(first + grain, count));
}

/// The processor's time, which a page is not told.
extern "C" std::clock_t clock()
{
    return 0;
}
