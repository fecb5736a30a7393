/// \file
/// What is known of launches that a program repeats: those behind the first may go uncounted.
///
/// What would leave all memory as it is: a launch, or a fill, that a program repeats although
/// nothing has changed since the last one, as benchmarks do by the thousand.
///
/// A kernel computes the same from the same arguments and the same memory. So a launch that has
/// been seen to leave every byte of the devices' memory and of the program's variables as it was
/// does so again, until something else changes memory; then it need not run. That is looked at
/// where a program repeats a launch for the 4th, 8th, 16th, ... time without counting it.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <cstddef>
#include <cstdint>
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

} // namespace cpu_device
