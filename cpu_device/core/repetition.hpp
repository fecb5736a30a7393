/// \file
/// Launches, and fills, that a program repeats: those behind the first may go uncounted, may run
/// later, or need not run at all.
///
/// A kernel computes the same from the same arguments and the same memory. So a launch that has
/// been seen to leave every byte of the devices' memory and of the program's variables as it was
/// does so again, until something else changes memory; then it need not run. That is looked at
/// where a program repeats a launch for the 4th, 8th, 16th, ... time without counting it.
///
/// A benchmark launches a kernel a thousand times and looks at what the last launch has written, or
/// at nothing: it ends. As long as kernels alone can see device memory, nobody can tell whether a
/// launch has run that repeats an earlier one, to the last bit of its arguments. What is deferred
/// runs, in order, before anything else is done that depends on it: a copy, a launch that is no
/// repeat, memory that the host shares. What nothing ever looks at never runs.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace cpu_device {

/// Something may have changed memory that kernels can read. Any thread.
void note_change_of_memory();
/// A kernel did what running it once more would do again: it printed, or read a clock. Any thread.
void note_effect();

/// One execution of what may be repeated, told by `identity`: the kernel, its configuration and its
/// arguments, or what is filled with which value.
class Repetition
{
  public:
    /// The bytes of any number of values.
    template<class... Values>
    static std::string identity(const Values&... values)
    {
        std::string bytes;
        (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
        return bytes;
    }

    /// An empty identity: never the same as anything. Holds a lock while it lives.
    explicit Repetition(const std::string& identity);
    /// Notes a run that is none of these executions: a launch that was counted.
    static void note_run(const std::string& identity);
    /// True if something of that identity has run.
    [[nodiscard]] static bool has_run(const std::string& identity);
    /// True if it would change nothing, now: it need not run.
    [[nodiscard]] bool changes_nothing() const;
    /// It has been executed before with the same identity.
    [[nodiscard]] bool known() const { return known_ != nullptr && known_->executions > 0; }
    /// Before it runs; while device memory is open to the host.
    void begin();
    /// After it has run: finds out whether it has changed anything, where begin() wanted to know.
    void end();
    /// Instead of both, where memory is now as it would leave it, and was not if it has `changed`.
    void end_settled(bool changed);

    struct Known
    {
        bool has_run = false; ///< executed, or counted
        std::uint64_t executions = 0;
        std::optional<std::uint64_t> settled_at; ///< number of the memory's state
    };

  private:
    const std::lock_guard<std::mutex> lock_;
    Known* known_ = nullptr;              ///< null of an empty identity
    std::optional<std::uint64_t> before_; ///< digest of all memory
    std::uint64_t effects_before_ = 0;
};

/// What is known of the launches of one kernel with one configuration.
struct Repeats
{
    std::uint64_t launches = 0; ///< counted so far
    std::uint64_t watched = 0;  ///< of those, and of those that this began with
    std::uint64_t requests = 0; ///< of those
    std::size_t last = 0;       ///< of those, in launches()
    bool must_count = false;    ///< it must not run uncounted
    bool in_step = false;       ///< lanes of a warp depend on each other
};

/// By device, configuration and the arguments that are whole numbers. Of a program that goes on and
/// on with other arguments the first tell enough.
[[nodiscard]] Repeats& repeats_of(const LaunchConfiguration& configuration);
void forget_repeats();

// --- what is deferred ------------------------------------------------------------------------

/// Held by who launches a kernel, which already uses every core, and by who does what was deferred.
[[nodiscard]] std::unique_lock<std::recursive_mutex> one_launch();

/// True if work may be deferred now: no kernel of the program prints, and the host shares no memory
/// with kernels. Of several devices one may look at what another has written: then never. Nor once
/// 2^14 were deferred at a time: a loop that goes on until a clock says so would never end.
[[nodiscard]] bool may_defer();
/// Has `work` done later, or never. Under one_launch().
void deferred(std::function<void()> work);
/// Has `work` done later if it would otherwise be done before what was deferred earlier; else
/// returns false.
[[nodiscard]] bool deferred_behind_others(const std::function<void()>& work);
/// True between deferred() and run_deferred(). Any thread.
[[nodiscard]] bool any_deferred();
/// Before anything that depends on it. Any thread.
void run_deferred();

} // namespace cpu_device
