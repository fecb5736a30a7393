/// \file
/// What the core needs of the machine that it runs on, and cannot say in plain C++. The room host
/// defines it for a process of Linux; another host, a browser for one, defines the same functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cpu_device::host {

// --- addresses ------------------------------------------------------------------------------

/// Reserves addresses that nobody may touch yet, from `wanted` on if these are free and the host
/// can. Null if there are not as many.
[[nodiscard]] void* reserve(std::size_t bytes, std::uintptr_t wanted = 0);
/// Releases reserved addresses and the memory behind them.
void unreserve(void* begin, std::size_t bytes);
/// Makes whole pages of reserved addresses usable, zero at first. False if there is no memory.
[[nodiscard]] bool commit(void* begin, std::size_t bytes);
/// Forbids every access to whole pages, whose contents stay.
void make_inaccessible(void* begin, std::size_t bytes);
/// The same, and releases their memory. The addresses stay reserved.
void discard(void* begin, std::size_t bytes);
/// Advises the system to back whole pages, all of which will be used, by huge pages.
void advise_huge_pages(void* begin, std::size_t bytes);
/// Forbids writes to whole pages.
void make_read_only(void* begin, std::size_t bytes);
/// For each page that begins at `begin` an odd number if it has memory behind it; nothing where
/// that cannot be told.
[[nodiscard]] std::vector<unsigned char> resident(void* begin, std::size_t bytes);
[[nodiscard]] std::size_t page_bytes();
/// How many addresses the memory of the devices may take, with no memory behind most of them.
[[nodiscard]] std::size_t device_addresses();
/// Of all memory of the machine.
[[nodiscard]] std::size_t memory_bytes();

// --- threads --------------------------------------------------------------------------------

/// A stack that a thread of the host can switch to. It calls `work` again and again: each time that
/// it is resumed after `work` returned. Inside, `work` may suspend itself and is resumed there.
class Fiber
{
  public:
    Fiber() = default;
    virtual ~Fiber() = default;
    Fiber& operator=(Fiber&&) = delete;

    /// Runs until `work` returns or suspends itself. Only from outside.
    virtual void resume() = 0;
    /// Goes back to where resume() was called. Only from inside.
    virtual void suspend() = 0;
    /// The same, but that `other`, which is suspended, goes on at once: it goes back there.
    virtual void suspend_for(Fiber& other) = 0;
    /// True if `work` suspended itself and has not returned yet.
    [[nodiscard]] bool suspended() const { return suspended_; }

  protected:
    bool suspended_ = false;
};

/// False where a fiber cannot suspend itself: work that returns can be done there, and no other.
[[nodiscard]] bool fibers_suspend();
/// On the stack of `bytes` from `stack` on, which outlives it.
[[nodiscard]] std::unique_ptr<Fiber> make_fiber(std::byte* stack, std::size_t bytes,
                                                std::function<void()> work);

/// How many threads run at a time.
[[nodiscard]] std::size_t processors();
/// Calls work(0) to work(threads - 1), each on a thread of its own, the first on the calling one.
/// Returns when all have returned. Their bad accesses are reported: see watch_for_faults().
void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& work);
/// Returns how long the calling thread has run, in seconds, or 0 where nobody knows.
[[nodiscard]] double thread_seconds();

/// As run_on_threads(), for threads that may wait for each other, by calling `meet`: none begins
/// unless all can, and one that returns is waited for no longer. `make` is called on the calling
/// thread for each of them, and returns its work. Where there are not enough threads, or `make`
/// throws, calls `fail` with how many there are and why; it must end the process.
void run_together(std::size_t threads,
                  const std::function<std::function<void()>(std::size_t thread,
                                                            std::function<void()> meet)>& make,
                  const std::function<void(std::size_t threads, const std::string& why)>& fail);

/// Calls `look` on a thread of its own, again and again, as long as the process lives.
void look_every(std::chrono::milliseconds time, std::function<void()> look);

/// From now on, calls report_bad_access() and report_bad_division() of faults.hpp for what the
/// processor refuses to do. Once a process.
void watch_for_faults();

// --- the program ----------------------------------------------------------------------------

/// Where the linker and the loader have put something: [begin, begin + bytes).
struct Range
{
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

/// A function or a variable that the linker gave a place.
struct Symbol
{
    std::string name;         ///< as the linker knows it
    std::uintptr_t value = 0; ///< offset from program_begin(), or from thread_variables().begin
    std::size_t bytes = 0;
};

/// What a symbol stands for.
enum class SymbolKind
{
    function,
    variable, ///< that all threads share
    thread_variable
};

/// All symbols of a kind, in no order. Empty if the program has been stripped.
[[nodiscard]] std::vector<Symbol> read_symbols(SymbolKind kind);
/// The name as C++ writes it, without unnamed namespaces; a name that is not mangled stays as it
/// is.
[[nodiscard]] std::string demangled(const std::string& name);
/// Where the program is loaded.
[[nodiscard]] std::uintptr_t program_begin();
/// Variables of the program that can be written.
[[nodiscard]] Range program_data();
/// What of the program cannot be written, and all of the libraries that it uses.
[[nodiscard]] std::vector<Range> other_data();
/// Its `__constant__` variables; empty if it has none.
[[nodiscard]] Range constant_data();
/// Thread-local variables of the program, for the calling thread.
[[nodiscard]] Range thread_variables();
/// Where the functions that are being called go on, the innermost first; some of them, or none.
[[nodiscard]] std::vector<std::uintptr_t> callers();
/// "kernel.cu:12" of an instruction, in the innermost function that is not of the CPU device, or of
/// the innermost of several callers that has such a line; empty where nobody knows.
[[nodiscard]] std::string source_line(const std::vector<std::uintptr_t>& callers);

} // namespace cpu_device::host
