/// \file
/// Memory that queued work uses on a GPU until the host waits for it. Here that work is done when
/// it is queued, so a host that does not wait sees right results; it is therefore watched by the
/// pages, where Settings::watchful requests it, and told of in a report.
#pragma once

#include "core/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cpu_device {

/// Queued work uses `bytes` from `begin` on, which lie in managed or page-locked memory of the
/// runtime's: the host may read them, unless the work writes, but not write them. `what` is the
/// work, "kernel add (launched at mine.cu:12)"; empty: the call of the runtime that runs now.
void note_unfinished(std::uintptr_t begin, std::size_t bytes, bool writes, std::string what = {});
/// A kernel prints: a GPU shows that when the host waits.
void note_unfinished_print();
/// The host waits for the work.
void forget_unfinished();

/// While one lives, the runtime uses such memory itself. Any thread, nested or not.
class UnfinishedIsOpen
{
  public:
    UnfinishedIsOpen();
    ~UnfinishedIsOpen();
    UnfinishedIsOpen& operator=(UnfinishedIsOpen&&) = delete;
};

/// The instruction at `pc` of the host's code is about to use an address that it may not. True if
/// that was because of unfinished work: it can go on.
[[nodiscard]] bool is_unfinished(std::uintptr_t address, std::uintptr_t pc);

} // namespace cpu_device
