/// \file
/// Stacks that a thread of the host can switch between.
#pragma once

#include "engine/memory.hpp"

#include <boost/context/fiber.hpp>

#include <cstddef>
#include <functional>

namespace cpu_device {

/// Addresses for the stacks of the threads of one block; each has a guard below it.
class StackPool
{
  public:
    static constexpr std::size_t stack_bytes = 256 * 1024; ///< local memory of one thread
    static constexpr std::size_t guard_bytes = 64 * 1024;

    /// Reserves addresses for `stacks` stacks. The operating system allows a process only some
    /// 30,000 with guards that stop who goes past them. Throws std::bad_alloc.
    explicit StackPool(std::size_t stacks, bool guarded = true);
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    /// Makes the next stack usable and returns its lowest address. Throws std::bad_alloc.
    [[nodiscard]] std::byte* take();
    /// All stacks with their guards.
    [[nodiscard]] Region region() const;
    /// True if `address` is in the guard of a stack.
    [[nodiscard]] bool in_guard(std::uintptr_t address) const;

  private:
    std::byte* begin_ = nullptr;
    std::size_t stacks_;
    std::size_t taken_ = 0;
    bool guarded_;
};

/// Calls `work` again and again on a stack of its own: each time that it is resumed after `work`
/// returned. Inside, `work` may suspend itself and is resumed where it was.
class Fiber
{
  public:
    Fiber(StackPool& stacks, std::function<void()> work);

    /// Runs until `work` returns or suspends itself. Only from outside.
    void resume();
    /// Goes back to where resume() was called. Only from inside.
    void suspend();
    /// True if `work` suspended itself and has not returned yet.
    [[nodiscard]] bool suspended() const { return suspended_; }

  private:
    /// Tells AddressSanitizer, where it is used, that the stack changes.
    void announce_entry();

    boost::context::fiber inside_;
    boost::context::fiber outside_;
    std::byte* stack_;
    bool suspended_ = false;
    void* outer_frames_ = nullptr; ///< AddressSanitizer's bookkeeping, both ways
    void* inner_frames_ = nullptr;
    const void* outer_stack_ = nullptr;
    std::size_t outer_bytes_ = 0;
};

} // namespace cpu_device
