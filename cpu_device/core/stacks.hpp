/// \file
/// The stacks of the threads of one block.
#pragma once

#include "core/host.hpp"
#include "core/memory.hpp"

#include <cstddef>
#include <new>

namespace cpu_device {

/// Addresses for the stacks of the threads of one block; each has a guard below it.
class StackPool
{
  public:
    static constexpr std::size_t stack_bytes = 256 * 1024; ///< local memory of one thread
    static constexpr std::size_t guard_bytes = 64 * 1024;

    /// Reserves addresses for `stacks` stacks. The operating system allows a process only some
    /// 30,000 with guards that stop who goes past them. Throws std::bad_alloc.
    explicit StackPool(std::size_t stacks, bool guarded = true) : stacks_(stacks), guarded_(guarded)
    {
        begin_ = static_cast<std::byte*>(host::reserve(stacks * stride));
        if (begin_ == nullptr || (!guarded && !host::commit(begin_, stacks * stride)))
            throw std::bad_alloc();
    }
    ~StackPool() { host::unreserve(begin_, stacks_ * stride); }
    StackPool& operator=(StackPool&&) = delete;

    /// Makes the next stack usable and returns its lowest address. Throws std::bad_alloc.
    [[nodiscard]] std::byte* take()
    {
        std::byte* stack = begin_ + taken_ * stride + guard_bytes;
        if (taken_ == stacks_ || (guarded_ && !host::commit(stack, stack_bytes)))
            throw std::bad_alloc();
        ++taken_;
        return stack;
    }
    /// All stacks with their guards.
    [[nodiscard]] Region region() const
    {
        return {reinterpret_cast<std::uintptr_t>(begin_), stacks_ * stride,
                AddressSpace::uncounted};
    }
    /// True if `address` is in the guard of a stack.
    [[nodiscard]] bool in_guard(std::uintptr_t address) const
    {
        return region().contains(address) && (address - region().begin) % stride < guard_bytes;
    }

    /// Bytes at the upper end of a stack that are not used: another number for each of 64
    /// neighbours. Without, the frames of all threads of a block would want the same few sets of a
    /// cache.
    [[nodiscard]] static std::size_t unused_bytes(const std::byte* stack)
    {
        return reinterpret_cast<std::uintptr_t>(stack) / stride % 64 * 576;
    }

  private:
    static constexpr std::size_t stride = stack_bytes + guard_bytes;

    std::byte* begin_ = nullptr;
    std::size_t stacks_;
    std::size_t taken_ = 0;
    bool guarded_;
};

} // namespace cpu_device
