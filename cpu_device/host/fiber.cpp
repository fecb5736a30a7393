/// \file
/// Fibers: Boost.Context's, but where a few instructions of the processor's own are far faster.
#include "core/host.hpp"

#if !defined(__x86_64__)
#include <boost/context/fiber.hpp>
#endif

#include <algorithm>
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

#if defined(__x86_64__)
using Frames = void*; ///< the top of the stack, where switch_stacks() left it
// It returns to another caller than its own. Lanes wait at the same depth of calls, so this caller
// and all above it return to where the processor expects them to: with Boost's switch, which jumps,
// it guesses each of these returns wrong, and one more in a call costs as much as this function. No
// kernel changes how the processor rounds while it waits, so that is not kept.
extern "C" void cpu_device_switch_stacks(Frames* own, Frames next);
asm(R"(
    .pushsection .text
    .type cpu_device_switch_stacks, @function
cpu_device_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size cpu_device_switch_stacks, . - cpu_device_switch_stacks
    .popsection
)");
#else
using Frames = boost::context::fiber;

/// Frames still on a fiber's stack when the process ends are left alone, so nothing is freed here.
struct KeepStack
{
    void deallocate(boost::context::stack_context&) noexcept {}
};
#endif

/// A stack that another one has gone on for.
struct Left
{
    Frames frames = {};
    const void* stack = nullptr; ///< the rest is for AddressSanitizer
    std::size_t bytes = 0;
    void* fake_frames = nullptr;
};

/// The stack that was left last, by the calling thread.
thread_local Left* left = nullptr;

void arrive([[maybe_unused]] Left& own)
{
#ifdef CPU_DEVICE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(own.fake_frames, &left->stack, &left->bytes);
#endif
}

void go_on(Left& own, Left& next)
{
    left = &own;
#ifdef CPU_DEVICE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&own.fake_frames, next.stack, next.bytes);
#endif
#if defined(__x86_64__)
    cpu_device_switch_stacks(&own.frames, next.frames);
#else
    Frames frames = std::move(next.frames).resume();
    left->frames = std::move(frames);
#endif
    arrive(own);
}

class StackFiber final : public Fiber
{
  public:
    StackFiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
        : work_(std::move(work))
    {
        inside_.stack = stack;
        inside_.bytes = bytes;
#if defined(__x86_64__)
        // What the switch takes from it: registers, and the function that it returns to, which has
        // no caller.
        constexpr std::size_t registers = 6;
        auto** const top = reinterpret_cast<void**>(stack + bytes / 16 * 16) - registers - 2;
        std::fill_n(top, registers + 2, nullptr);
        top[registers] = reinterpret_cast<void*>(+[] { entered->run(); });
        inside_.frames = top;
#else
        boost::context::stack_context context;
        context.sp = stack + bytes;
        context.size = bytes;
        inside_.frames =
            Frames(std::allocator_arg, boost::context::preallocated(context.sp, bytes, context),
                   KeepStack(), [this](Frames&& frames) {
                       left->frames = std::move(frames);
                       run();
                       return Frames();
                   });
#endif
    }

    void resume() override
    {
        suspended_ = true;
        entered = this;
        go_on(outside_, inside_);
    }
    void suspend() override
    {
        go_on(inside_, outside_);
    }
    void suspend_for(Fiber& other) override
    {
        auto& next = static_cast<StackFiber&>(other);
        next.outside_ = std::exchange(outside_, {});
        go_on(inside_, next.inside_);
    }

  private:
    [[noreturn]] void run()
    {
        arrive(inside_);
        for (;;) {
            work_();
            suspended_ = false;
            suspend();
        }
    }

    static thread_local StackFiber* entered; ///< from outside, the last one
    std::function<void()> work_;
    Left inside_;
    Left outside_;
};

thread_local StackFiber* StackFiber::entered = nullptr;

} // namespace

bool fibers_suspend()
{
    return true;
}

std::unique_ptr<Fiber> make_fiber(std::byte* stack, std::size_t bytes, std::function<void()> work)
{
    return std::make_unique<StackFiber>(stack, bytes, std::move(work));
}

} // namespace cpu_device::host
