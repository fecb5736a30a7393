#include "common/device/check.hpp"
#include "common/device/gpu/isolation.hpp"

namespace common {

namespace {

/// Nanoseconds of a clock that all SMs share. It goes on when the SM clock changes.
__device__ unsigned long long global_nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void hold_stream(const volatile int* released, volatile int* timed_out,
                            unsigned long long timeout_ns)
{
    const unsigned long long start = global_nanoseconds();
    while (*released == 0) {
        if (global_nanoseconds() - start > timeout_ns) {
            *timed_out = 1;
            return;
        }
    }
}

} // namespace

Blocker::Blocker(std::chrono::nanoseconds timeout)
    : timeout_(timeout), flags_(2, MemoryKind::pinned), released_(flags_.data()),
      timed_out_(flags_.data() + 1)
{
    *released_ = 1;
    *timed_out_ = 0;
}

Blocker::~Blocker()
{
    release();
    // A destructor cannot report; a broken context is reported by the call that broke it.
    static_cast<void>(cudaStreamSynchronize(stream_));
}

void Blocker::block(cudaStream_t stream)
{
    stream_ = stream;
    *released_ = 0;
    *timed_out_ = 0;
    hold_stream<<<1, 1, 0, stream>>>(released_, timed_out_,
                                     static_cast<unsigned long long>(timeout_.count()));
    check_launch("The launch of the kernel that holds the stream");
}

void Blocker::release() noexcept
{
    *released_ = 1;
}

bool Blocker::timed_out() const noexcept
{
    return *timed_out_ != 0;
}

} // namespace common
