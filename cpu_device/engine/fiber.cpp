#include "engine/fiber.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CPU_DEVICE_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CPU_DEVICE_ADDRESS_SANITIZER
#endif
#ifdef CPU_DEVICE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace cpu_device {

namespace {

constexpr std::size_t stride = StackPool::stack_bytes + StackPool::guard_bytes;

/// Bytes at the upper end of a stack that are not used: another number for each of 64 neighbours.
/// Without, the frames of all threads of a block would want the same few sets of a cache.
std::size_t unused_bytes(std::uintptr_t stack)
{
    return stack / stride % 64 * 576;
}

/// Frames still on a fiber's stack when the process ends are left alone, so nothing is freed here.
struct KeepStack
{
    void deallocate(boost::context::stack_context&) noexcept {}
};

void start_switch([[maybe_unused]] void** frames, [[maybe_unused]] const void* stack,
                  [[maybe_unused]] std::size_t bytes)
{
#ifdef CPU_DEVICE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(frames, stack, bytes);
#endif
}

void finish_switch([[maybe_unused]] void* frames, [[maybe_unused]] const void** stack,
                   [[maybe_unused]] std::size_t* bytes)
{
#ifdef CPU_DEVICE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, stack, bytes);
#endif
}

} // namespace

StackPool::StackPool(std::size_t stacks, bool guarded) : stacks_(stacks), guarded_(guarded)
{
    void* range = mmap(nullptr, stacks * stride, guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(range);
}

StackPool::~StackPool()
{
    munmap(begin_, stacks_ * stride);
}

std::byte* StackPool::take()
{
    std::byte* stack = begin_ + taken_ * stride + guard_bytes;
    if (taken_ == stacks_ ||
        (guarded_ && mprotect(stack, stack_bytes, PROT_READ | PROT_WRITE) != 0))
        throw std::bad_alloc();
    ++taken_;
    return stack;
}

Region StackPool::region() const
{
    return {reinterpret_cast<std::uintptr_t>(begin_), stacks_ * stride, Space::uncounted};
}

bool StackPool::in_guard(std::uintptr_t address) const
{
    return region().contains(address) && (address - region().begin) % stride < guard_bytes;
}

Fiber::Fiber(StackPool& stacks, std::function<void()> work) : stack_(stacks.take())
{
    const std::size_t bytes =
        StackPool::stack_bytes - unused_bytes(reinterpret_cast<std::uintptr_t>(stack_));
    boost::context::stack_context context;
    context.sp = stack_ + bytes;
    context.size = bytes;
    inside_ = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(context.sp, bytes, context), KeepStack(),
        [this, work = std::move(work)](boost::context::fiber&& outside) {
            outside_ = std::move(outside);
            announce_entry();
            for (;;) {
                work();
                suspended_ = false;
                suspend();
            }
            return std::move(outside_);
        });
}

void Fiber::resume()
{
    suspended_ = true;
    start_switch(&outer_frames_, stack_, StackPool::stack_bytes);
    inside_ = std::move(inside_).resume();
    finish_switch(outer_frames_, nullptr, nullptr);
}

void Fiber::suspend()
{
    start_switch(&inner_frames_, outer_stack_, outer_bytes_);
    outside_ = std::move(outside_).resume();
    announce_entry();
}

void Fiber::announce_entry()
{
    finish_switch(inner_frames_, &outer_stack_, &outer_bytes_);
}

} // namespace cpu_device
