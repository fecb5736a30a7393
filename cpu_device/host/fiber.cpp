/// \file
/// Fibers, by Boost.Context.
#include "core/host.hpp"

#include <boost/context/fiber.hpp>

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

namespace cpu_device::host {

namespace {

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

class BoostFiber final : public Fiber
{
  public:
    BoostFiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
        : stack_(stack), bytes_(bytes)
    {
        boost::context::stack_context context;
        context.sp = stack + bytes;
        context.size = bytes;
        inside_ = boost::context::fiber(
            std::allocator_arg, boost::context::preallocated(context.sp, bytes, context),
            KeepStack(), [this, work = std::move(work)](boost::context::fiber&& outside) {
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

    void resume() override
    {
        suspended_ = true;
        start_switch(&outer_frames_, stack_, bytes_);
        inside_ = std::move(inside_).resume();
        finish_switch(outer_frames_, nullptr, nullptr);
    }

    void suspend() override
    {
        start_switch(&inner_frames_, outer_stack_, outer_bytes_);
        outside_ = std::move(outside_).resume();
        announce_entry();
    }

  private:
    /// Tells AddressSanitizer, where it is used, that the stack changes.
    void announce_entry() { finish_switch(inner_frames_, &outer_stack_, &outer_bytes_); }

    boost::context::fiber inside_;
    boost::context::fiber outside_;
    std::byte* stack_;
    std::size_t bytes_;
    void* outer_frames_ = nullptr; ///< AddressSanitizer's bookkeeping, both ways
    void* inner_frames_ = nullptr;
    const void* outer_stack_ = nullptr;
    std::size_t outer_bytes_ = 0;
};

} // namespace

bool fibers_suspend()
{
    return true;
}

std::unique_ptr<Fiber> make_fiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
{
    return std::make_unique<BoostFiber>(stack, bytes, std::move(work));
}

} // namespace cpu_device::host
